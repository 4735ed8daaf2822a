import { memoizeBy } from '../cache/memoize-by.ts'
import { type Context, contextForItem } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { always, andAlso } from '../query/conditions.ts'
import { createQuery, type QuerySource } from '../query/query.ts'
import type { Condition } from '../query/query-plan.ts'
import type { ItemRules } from '../rule/item-rules.ts'
import { relationTargetOf } from '../rule/rule.ts'
import { toStoredOperand } from '../stored-item/code-values.ts'
import type { NamedQueryHook } from './hooks.ts'
import { runQueryHook } from './run-query-hook.ts'

type HooksByModel = ReadonlyMap<ModelDescription, readonly NamedQueryHook[]>

/**
 * @param checked models whose items request hooks guard
 * @param rules the rules of each model; filled before the first request
 */
export function createGuards(
  hooks: HooksByModel,
  writeHooks: HooksByModel,
  outcomeHooks: HooksByModel,
  checked: ReadonlySet<ModelDescription>,
  rules: ReadonlyMap<ModelDescription, ItemRules>,
): Guards {
  const isGuarded = (model: ModelDescription) => (hooks.get(model)?.length ?? 0) > 0
  const readContext = (model: ModelDescription, context: Context, about: 'list' | 'items') =>
    contextForItem(context, rules.get(model)?.[about === 'list' ? 'list' : 'read'] ?? context.rule)
  const writeContext = (model: ModelDescription, context: Context, id: string) =>
    isRequestedItem(context, model, id)
      ? context
      : contextForItem(context, rules.get(model)?.update ?? context.rule, id)
  const readCondition = (model: ModelDescription, context: Context) =>
    isGuarded(model)
      ? runQueryHooks(model, hooks.get(model)!, readContext(model, context, 'items'))
      : always
  return {
    isGuarded,
    isRestricted: (model) => isGuarded(model) || checked.has(model),
    readContext,
    readCondition,
    itemCondition: (model, context, id) =>
      isGuarded(model)
        ? runQueryHooks(
            model,
            hooks.get(model)!,
            contextForItem(context, rules.get(model)?.read ?? context.rule, id),
          )
        : always,
    narrowPlan: (model, plan, context) => ({
      ...plan,
      condition: andAlso(plan.condition, readCondition(model, context)),
    }),
    writeCondition: (model, context, id) => {
      const conditionHooks = writeHooks.get(model) ?? []
      return conditionHooks.length === 0
        ? always
        : runQueryHooks(model, conditionHooks, writeContext(model, context, id))
    },
    outcomeCondition: (model, context, id) => {
      const conditionHooks = outcomeHooks.get(model) ?? []
      return conditionHooks.length === 0
        ? always
        : runQueryHooks(
            model,
            conditionHooks,
            id === undefined ? context : writeContext(model, context, id),
          )
    },
  }
}

/** Whether this is the item that the path names, and the rule is about its model. */
function isRequestedItem(
  { rule, id }: Context,
  model: ModelDescription,
  changedId: string,
): boolean {
  return (
    rule.operation !== 'Batch' &&
    !relationTargetOf(rule) &&
    rule.view.model === model &&
    id === changedId
  )
}

/** The conditions that the hooks add to an unrestricted query. */
function runQueryHooks(
  model: ModelDescription,
  hooks: readonly NamedQueryHook[],
  context: Context,
): Condition {
  return hooks.reduce<Condition>(
    (readCondition, hook) =>
      andAlso(
        readCondition,
        runQueryHook(hook, createQuery(neverRun(model)), context, 'items').plan.condition,
      ),
    always,
  )
}

/** Guards build conditions; the queries themselves are never executed. */
const neverRun = memoizeBy(
  (model: ModelDescription): QuerySource => ({
    toStored: (path, value) => toStoredOperand(model, path, value),
    size: () =>
      Promise.reject(
        new Error('A query hook cannot execute its query. Return a narrowed query instead.'),
      ),
    exec: () => {
      throw new Error('A query hook cannot execute its query. Return a narrowed query instead.')
    },
  }),
)
