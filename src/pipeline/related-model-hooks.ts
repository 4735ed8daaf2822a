import { contextForItem } from '../context/context.ts'
import type { RouterServices } from '../document/router-services.ts'
import {
  type NamedRequestHook,
  relatedHooks,
  requestHooks,
  withoutHooks,
} from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ItemRules } from '../rule/item-rules.ts'
import { type HookName, readHooks } from '../rule/operations.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { ActionPayload, ItemPayload } from '../serializer/payload.ts'
import {
  alwaysRelatedModels,
  isAboutItem,
  possiblyRelatedModels,
  requestedModels,
} from './related-models.ts'

/**
 * The request hooks of the models that a request reads from or writes to beside the items that it
 * is about. Each hook runs once for each of the models; once more for the request's own, where that
 * is about one item and leads to others.
 */
export interface RelatedModelHooks {
  /** Of the models that every request by the rule reaches. */
  readonly always: readonly NamedRequestHook[]
  /**
   * Of those that this one reaches by its parameters and its body; undefined where no other model
   * has any.
   */
  readonly forRequest:
    | ((
        selection: Selection,
        sent: ItemPayload | ActionPayload | undefined,
      ) => readonly NamedRequestHook[])
    | undefined
}

/** What guards the items of the models of a router. */
export interface RouterGuards {
  /** Without what ran for the request as a whole. */
  itemMiddleware(model: ModelDescription): readonly Middleware[]
  readonly itemRules: ReadonlyMap<ModelDescription, ItemRules>
}

/** @param own the hooks of the rule's own operation, which run first */
export function relatedModelHooks(
  parts: Pick<RouterServices, 'guards' | 'mappers' | 'views'>,
  rule: ModelRule,
  own: readonly NamedRequestHook[],
  guarding: RouterGuards,
): RelatedModelHooks {
  const { itemMiddleware, itemRules } = guarding
  const ownModel = (rule.relationTarget ?? rule).view.model
  const ran = new Map<ModelDescription, readonly NamedRequestHook[]>()
  // What hooks say of the item in the path, they do not say of others of its model.
  if (!isAboutItem(rule)) ran.set(ownModel, own)
  const always: NamedRequestHook[] = []
  for (const model of alwaysRelatedModels(parts, rule)) {
    const names = hookNames(rule, model)
    const before = ran.get(model) ?? []
    const hooks = withoutHooks(requestHooks(itemMiddleware(model), names), before)
    ran.set(model, [...before, ...hooks])
    always.push(
      ...hooks.map((hook) =>
        inItemContext(hook, itemRules.get(model)?.[names === readHooks ? 'read' : 'list']),
      ),
    )
  }
  const others = new Map<ModelDescription, readonly NamedRequestHook[]>()
  const possible = possiblyRelatedModels(parts, rule)
  for (const { model } of parts.views.all) {
    if (model === ownModel && !possible.has(model)) continue
    const hooks = withoutHooks(requestHooks(itemMiddleware(model), readHooks), ran.get(model) ?? [])
    const asked = itemRules.get(model)?.read
    if (hooks.length > 0)
      others.set(
        model,
        hooks.map((hook) => inItemContext(hook, asked)),
      )
  }
  return { always, forRequest: others.size === 0 ? undefined : further }

  function further(
    selection: Selection,
    sent: ItemPayload | ActionPayload | undefined,
  ): readonly NamedRequestHook[] {
    return [...requestedModels(parts, rule, selection, sent)].flatMap(
      (model) => others.get(model) ?? [],
    )
  }
}

/** As what it leads to is the answer, a related list counts as the list of its items. */
function hookNames(
  { operation, view, relationTarget }: ModelRule,
  model: ModelDescription,
): readonly HookName[] {
  if (!relationTarget || view.model !== model) return readHooks
  return relatedHooks(operation, relationTarget.relation.kind === 'toOne' ? 'one' : 'many')
}

/** The hook as it runs for its own model, of which nobody knows yet which items are meant. */
function inItemContext(
  { name, run }: NamedRequestHook,
  rule: ModelRule | undefined,
): NamedRequestHook {
  return { name, run: (context) => run(contextForItem(context, rule ?? context.rule)) }
}
