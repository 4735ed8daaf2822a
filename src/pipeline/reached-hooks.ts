import { contextOn } from '../context/context.ts'
import { type NamedRequestHook, relatedHooks, requestHooks, without } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { ModelDescription } from '../model/description.ts'
import { type HookName, readHooks } from '../rule/operations.ts'
import type { ModelRule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { SentInput, SentItem } from '../serializer/sent.ts'
import type { Parts } from './parts.ts'
import { alwaysReached, reachedBy } from './reached-models.ts'

/** The request hooks of the models that a request reads from or writes to beside its own. Each hook runs once for a request. */
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
  middlewareOf(model: ModelDescription): readonly Middleware[]
  readonly rules: readonly ModelRule[]
}

/** @param own the hooks of the rule's own operation, which run first */
export function reachedHooks(
  parts: Pick<Parts, 'guards' | 'mappers' | 'views'>,
  rule: ModelRule,
  own: readonly NamedRequestHook[],
  guarding: Guarding,
): ReachedHooks {
  const ran = [...own]
  const always: NamedRequestHook[] = []
  for (const model of alwaysReached(parts, rule)) {
    const names = namesOf(rule, model)
    const hooks = without(requestHooks(guarding.middlewareOf(model), names), ran)
    ran.push(...hooks)
    always.push(...hooks.map((hook) => about(hook, ruleOf(guarding.rules, model, names))))
  }
  const others = new Map<ModelDescription, readonly NamedRequestHook[]>()
  for (const { model } of parts.views.all) {
    const hooks = without(requestHooks(guarding.middlewareOf(model), readHooks), ran)
    if (hooks.length > 0) others.set(model, hooks)
  }
  return { always, further: others.size === 0 ? undefined : further }

  function further(selection: Selection, sent: SentItem | SentInput | undefined): readonly NamedRequestHook[] {
    const models = reachedBy(parts, rule, selection, sent)
    if (models.size === 0) return []
    const run: NamedRequestHook[] = []
    const hooks: NamedRequestHook[] = []
    for (const model of models) {
      const added = without(others.get(model) ?? [], run)
      run.push(...added)
      hooks.push(...added.map((hook) => about(hook, ruleOf(guarding.rules, model, readHooks))))
    }
    return hooks
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

/** How such items are asked for by themselves; undefined where the policy has no such address. */
function ruleOf(
  rules: readonly ModelRule[],
  model: ModelDescription,
  names: readonly HookName[],
): ModelRule | undefined {
  const operation = names === readHooks ? 'GetItem' : 'GetList'
  return rules.find((rule) => rule.operation === operation && rule.view.model === model)
}
