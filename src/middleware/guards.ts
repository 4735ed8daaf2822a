import { type Context, contextOn } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { ModelDescription } from '../model/description.ts'
import { always, both } from '../query/conditions.ts'
import { type QuerySource, query } from '../query/query.ts'
import type { Condition } from '../query/query-plan.ts'
import type { ItemRules } from '../rule/item-rules.ts'
import type { NamedQueryHook } from './hooks.ts'
import { runQueryHook } from './run-query-hook.ts'

type HooksByModel = ReadonlyMap<ModelDescription, readonly NamedQueryHook[]>

/**
 * @param checked the models that request hooks guard, too
 * @param rules of each model, once requests come
 */
export function guards(
  hooks: HooksByModel,
  writeHooks: HooksByModel,
  outcomeHooks: HooksByModel,
  checked: ReadonlySet<ModelDescription>,
  rules: ReadonlyMap<ModelDescription, ItemRules>,
): Guards {
  const isGuarded = (model: ModelDescription) => (hooks.get(model)?.length ?? 0) > 0
  const reading = (model: ModelDescription, context: Context, about: 'list' | 'items') =>
    contextOn(context, rules.get(model)?.[about === 'list' ? 'list' : 'read'] ?? context.rule)
  const changing = (model: ModelDescription, context: Context, id: string) =>
    isAbout(context, model, id) ? context : contextOn(context, rules.get(model)?.update ?? context.rule, id)
  const condition = (model: ModelDescription, context: Context) =>
    isGuarded(model) ? runQueryHooks(hooks.get(model)!, reading(model, context, 'items')) : always
  return {
    isGuarded,
    isChecked: (model) => isGuarded(model) || checked.has(model),
    reading,
    condition,
    narrowed: (model, plan, context) => ({ ...plan, condition: both(plan.condition, condition(model, context)) }),
    writeCondition: (model, context, id) => {
      const run = writeHooks.get(model) ?? []
      return run.length === 0 ? always : runQueryHooks(run, changing(model, context, id))
    },
    outcome: (model, context, id) => {
      const run = outcomeHooks.get(model) ?? []
      return run.length === 0 ? always : runQueryHooks(run, id === undefined ? context : changing(model, context, id))
    },
  }
}

/** Is this the item that the request names in its path, as one of the model that its rule is about? */
function isAbout({ rule, id }: Context, model: ModelDescription, changed: string): boolean {
  return rule.operation !== 'Batch' && !rule.through && rule.view.model === model && id === changed
}

/** The conditions that hooks add to an open query, as one closed condition. */
function runQueryHooks(hooks: readonly NamedQueryHook[], context: Context): Condition {
  return hooks.reduce<Condition>(
    (condition, hook) => both(condition, runQueryHook(hook, query(unanswered), context, 'items').plan.condition),
    always,
  )
}

/** Guards are built, never asked. */
const unanswered: QuerySource<never> = {
  size: () => Promise.reject(new Error('A query hook narrows its query; it cannot ask it.')),
  exec: () => {
    throw new Error('A query hook narrows its query; it cannot ask it.')
  },
}
