import { type Context, contextForItem } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { always, andAlso } from '../query/conditions.ts'
import { createQuery, type QuerySource } from '../query/query.ts'
import type { Condition } from '../query/query-plan.ts'
import type { ItemRules } from '../rule/item-rules.ts'
import type { NamedQueryHook } from './hooks.ts'
import { runQueryHook } from './run-query-hook.ts'

type HooksByModel = ReadonlyMap<ModelDescription, readonly NamedQueryHook[]>

/**
 * @param checked the models that request hooks guard, too
 * @param rules of each model, once requests come
 */
export function createGuards(
  hooks: HooksByModel,
  writeHooks: HooksByModel,
  outcomeHooks: HooksByModel,
  checked: ReadonlySet<ModelDescription>,
  rules: ReadonlyMap<ModelDescription, ItemRules>,
): Guards {
  const isGuarded = (model: ModelDescription) => (hooks.get(model)?.length ?? 0) > 0
  const reading = (model: ModelDescription, context: Context, about: 'list' | 'items') =>
    contextForItem(context, rules.get(model)?.[about === 'list' ? 'list' : 'read'] ?? context.rule)
  const changing = (model: ModelDescription, context: Context, id: string) =>
    isRequestedItem(context, model, id)
      ? context
      : contextForItem(context, rules.get(model)?.update ?? context.rule, id)
  const condition = (model: ModelDescription, context: Context) =>
    isGuarded(model) ? runQueryHooks(hooks.get(model)!, reading(model, context, 'items')) : always
  return {
    isGuarded,
    isRestricted: (model) => isGuarded(model) || checked.has(model),
    readContext: reading,
    readCondition: condition,
    narrowPlan: (model, plan, context) => ({
      ...plan,
      condition: andAlso(plan.condition, condition(model, context)),
    }),
    writeCondition: (model, context, id) => {
      const run = writeHooks.get(model) ?? []
      return run.length === 0 ? always : runQueryHooks(run, changing(model, context, id))
    },
    outcomeCondition: (model, context, id) => {
      const run = outcomeHooks.get(model) ?? []
      return run.length === 0
        ? always
        : runQueryHooks(run, id === undefined ? context : changing(model, context, id))
    },
  }
}

/**
 * Is this the item that the request names in its path, as one of the model that its rule is about?
 */
function isRequestedItem({ rule, id }: Context, model: ModelDescription, changed: string): boolean {
  return (
    rule.operation !== 'Batch' &&
    !rule.relationTarget &&
    rule.view.model === model &&
    id === changed
  )
}

/** The conditions that hooks add to an open query, as one closed condition. */
function runQueryHooks(hooks: readonly NamedQueryHook[], context: Context): Condition {
  return hooks.reduce<Condition>(
    (condition, hook) =>
      andAlso(
        condition,
        runQueryHook(hook, createQuery(neverRun), context, 'items').plan.condition,
      ),
    always,
  )
}

/** Guards are built, never asked. */
const neverRun: QuerySource<never> = {
  size: () => Promise.reject(new Error('A query hook narrows its query; it cannot ask it.')),
  exec: () => {
    throw new Error('A query hook narrows its query; it cannot ask it.')
  },
}
