import { type Context, contextForItem } from '../context/context.ts'
import { readRequestHooks, relatedHooks, requestHooks, withoutHooks } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { NamedRequestHook } from '../middleware/named-hook.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ItemRules } from '../rule/item-rules.ts'
import { type HookName, readHooks } from '../rule/operations.ts'
import { type ModelRule, pathView, relationTargetOf } from '../rule/rule.ts'
import { defaultSelection, type Selection } from '../rule/selection.ts'
import type { Payload } from '../serializer/payload.ts'
import {
  alwaysRelatedModels,
  isAboutItem,
  possiblyRelatedModels,
  requestedModels,
} from './related-models.ts'
import type { RouterServices } from './router-services.ts'

/**
 * The request hooks of the other models that a request reads or writes. Each hook runs once for
 * each of the models; once more for the request's own, if the request is about one item and leads
 * to others.
 */
export interface RelatedModelHooks {
  /** Of reading an item of the rule's own model, for a request whose path names none. */
  readonly ofReading: readonly NamedRequestHook[]
  /** Of the models that every request of the rule reaches. */
  readonly always: readonly NamedRequestHook[]
  /**
   * Of the models that this request reaches by its parameters and its body; undefined where none of
   * them has hooks.
   */
  readonly forRequest:
    | ((selection: Selection, payload: Payload | undefined) => readonly NamedRequestHook[])
    | undefined
}

/** The middleware that guards items, by model. */
export interface RouterGuards {
  /** Without the hooks that run for the request as a whole. */
  itemMiddleware(model: ModelDescription): readonly Middleware[]
  readonly itemRules: ReadonlyMap<ModelDescription, ItemRules>
}

/** @param ownHooks the hooks of the rule's own operation, which run first */
export function relatedModelHooks(
  services: Pick<RouterServices, 'guards' | 'mappers' | 'views'>,
  rule: ModelRule,
  ownHooks: readonly NamedRequestHook[],
  routerGuards: RouterGuards,
): RelatedModelHooks {
  const { itemMiddleware, itemRules } = routerGuards
  const ownModel = pathView(rule).model
  const runByModel = new Map<ModelDescription, readonly NamedRequestHook[]>()
  // Hooks that decide about the item in the path decide nothing about other items of its model.
  if (!isAboutItem(rule)) runByModel.set(ownModel, ownHooks)
  const always: NamedRequestHook[] = []
  for (const model of alwaysRelatedModels(services, rule)) {
    const names = hookNames(rule, model)
    const alreadyRun = runByModel.get(model) ?? []
    const hooks = withoutHooks(requestHooks(itemMiddleware(model), names), alreadyRun)
    runByModel.set(model, [...alreadyRun, ...hooks])
    always.push(
      ...hooks.map((hook) =>
        inItemContext(hook, itemRules.get(model)?.[names === readHooks ? 'read' : 'list']),
      ),
    )
  }
  const hooksByModel = new Map<ModelDescription, readonly NamedRequestHook[]>()
  const possibleModels = possiblyRelatedModels(services, rule)
  for (const { model } of services.views.all) {
    if (model === ownModel && !possibleModels.has(model)) continue
    const hooks = withoutHooks(readRequestHooks(itemMiddleware(model)), runByModel.get(model) ?? [])
    const readRule = itemRules.get(model)?.read
    if (hooks.length > 0)
      hooksByModel.set(
        model,
        hooks.map((hook) => inItemContext(hook, readRule)),
      )
  }
  // Most reads of one item have no parameters.
  const hooksWithoutParameters = hooksForRequest(defaultSelection, undefined)
  const ofReading = withoutHooks(readRequestHooks(itemMiddleware(ownModel)), ownHooks)
  return {
    ofReading: ofReading.map((hook) =>
      inItemContext(hook, itemRules.get(ownModel)?.read, ({ id }) => id),
    ),
    always,
    forRequest:
      hooksByModel.size === 0
        ? undefined
        : (selection, payload) =>
            selection === defaultSelection && payload === undefined
              ? hooksWithoutParameters
              : hooksForRequest(selection, payload),
  }

  function hooksForRequest(
    selection: Selection,
    payload: Payload | undefined,
  ): readonly NamedRequestHook[] {
    return [...requestedModels(services, rule, selection, payload)].flatMap(
      (model) => hooksByModel.get(model) ?? [],
    )
  }
}

/** A related list in the response counts as the list of its items. */
function hookNames(rule: ModelRule, model: ModelDescription): readonly HookName[] {
  const { operation, view } = rule
  const relationTarget = relationTargetOf(rule)
  if (!relationTarget || view.model !== model) return readHooks
  return relatedHooks(operation, relationTarget.relation.kind === 'toOne' ? 'one' : 'many')
}

/**
 * The hook in the context of its own model, before it is known which items are meant.
 * @param idOf names the item where it is known
 */
function inItemContext(
  { name, run }: NamedRequestHook,
  rule: ModelRule | undefined,
  idOf: (context: Context) => string | undefined = () => undefined,
): NamedRequestHook {
  return {
    name,
    run: (context) => run(contextForItem(context, rule ?? context.rule, idOf(context))),
  }
}
