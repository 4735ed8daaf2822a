import { contextOn } from '../context/context.ts'
import { type NamedRequestHook, relatedHooks, requestHooks, without } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { ModelDescription } from '../model/description.ts'
import type { ItemRules } from '../rule/item-rules.ts'
import { type HookName, readHooks } from '../rule/operations.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { SentInput, SentItem } from '../serializer/sent.ts'
import type { Parts } from './parts.ts'
import { alwaysReached, everReached, isAboutItem, reachedBy } from './reached-models.ts'

/**
 * The request hooks of the models that a request reads from or writes to beside the items that it is about. Each hook runs once for each of the
 * models; once more for the request's own, where that is about one item and leads to others.
 */
export interface ReachedHooks {
  /** Of the models that every request by the rule reaches. */
  readonly always: readonly NamedRequestHook[]
  /** Of those that this one reaches by its parameters and its body; undefined where no other model has any. */
  readonly further:
    | ((selection: Selection, sent: SentItem | SentInput | undefined) => readonly NamedRequestHook[])
    | undefined
}

/** What guards the items of the models of a router. */
export interface Guarding {
  /** Without what ran for the request as a whole. */
  middlewareBeside(model: ModelDescription): readonly Middleware[]
  readonly itemRules: ReadonlyMap<ModelDescription, ItemRules>
}

/** @param own the hooks of the rule's own operation, which run first */
export function reachedHooks(
  parts: Pick<Parts, 'guards' | 'mappers' | 'views'>,
  rule: ModelRule,
  own: readonly NamedRequestHook[],
  guarding: Guarding,
): ReachedHooks {
  const { middlewareBeside, itemRules } = guarding
  const ownModel = (rule.through ?? rule).view.model
  const ran = new Map<ModelDescription, readonly NamedRequestHook[]>()
  // What hooks say of the item in the path, they do not say of others of its model.
  if (!isAboutItem(rule)) ran.set(ownModel, own)
  const always: NamedRequestHook[] = []
  for (const model of alwaysReached(parts, rule)) {
    const names = namesOf(rule, model)
    const before = ran.get(model) ?? []
    const hooks = without(requestHooks(middlewareBeside(model), names), before)
    ran.set(model, [...before, ...hooks])
    always.push(...hooks.map((hook) => about(hook, itemRules.get(model)?.[names === readHooks ? 'read' : 'list'])))
  }
  const others = new Map<ModelDescription, readonly NamedRequestHook[]>()
  const possible = everReached(parts, rule)
  for (const { model } of parts.views.all) {
    if (model === ownModel && !possible.has(model)) continue
    const hooks = without(requestHooks(middlewareBeside(model), readHooks), ran.get(model) ?? [])
    const asked = itemRules.get(model)?.read
    if (hooks.length > 0)
      others.set(
        model,
        hooks.map((hook) => about(hook, asked)),
      )
  }
  return { always, further: others.size === 0 ? undefined : further }

  function further(selection: Selection, sent: SentItem | SentInput | undefined): readonly NamedRequestHook[] {
    return [...reachedBy(parts, rule, selection, sent)].flatMap((model) => others.get(model) ?? [])
  }
}

/** As what it leads to is the answer, a related list counts as the list of its items. */
function namesOf({ operation, view, through }: ModelRule, model: ModelDescription): readonly HookName[] {
  if (!through || view.model !== model) return readHooks
  return relatedHooks(operation, through.relation.kind === 'toOne' ? 'one' : 'many')
}

/** The hook as it runs for its own model, of which nobody knows yet which items are meant. */
function about({ name, run }: NamedRequestHook, rule: ModelRule | undefined): NamedRequestHook {
  return { name, run: (context) => run(contextOn(context, rule ?? context.rule)) }
}
