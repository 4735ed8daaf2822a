import { memoizeBy } from '../cache/memoize-by.ts'
import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { allOf, andAlso } from '../query/conditions.ts'
import type { IQuery } from '../query/iquery.ts'
import { createQuery, type QuerySource } from '../query/query.ts'
import type { Condition, OffsetPlan } from '../query/query-plan.ts'
import { storedOperandSource } from '../stored-item/code-values.ts'
import type { NamedQueryHook } from './named-hook.ts'
import { runQueryHook } from './run-query-hook.ts'

/** The items of a model that an access rule leaves to a request. */
export type ConditionFor = (context: Context) => Condition

/** What decides which items of a model a request reaches. */
export interface Narrowing {
  /** Of access rules, which come first. */
  readonly conditions: readonly ConditionFor[]
  readonly hooks: readonly NamedQueryHook[]
}

export const noNarrowing: Narrowing = Object.freeze({ conditions: [], hooks: [] })

export function narrowsNothing({ conditions, hooks }: Narrowing): boolean {
  return conditions.length === 0 && hooks.length === 0
}

/** What an item of the model must satisfy for the request to reach it. */
export function narrowedCondition(
  { conditions, hooks }: Narrowing,
  model: ModelDescription,
  context: Context,
): Condition {
  const ofRules = allOf(conditions.map((conditionFor) => conditionFor(context)))
  if (hooks.length === 0) return ofRules
  const ofHooks = hooks.map(
    (hook) => runQueryHook(hook, createQuery(neverRun(model)), context, 'items').plan.condition,
  )
  return andAlso(ofRules, allOf(ofHooks))
}

/**
 * Narrows the plan of a request.
 * @param source what hooks may compare with
 * @param about as for `runQueryHook`
 */
export function narrowPlan(
  { conditions, hooks }: Narrowing,
  plan: OffsetPlan,
  source: () => QuerySource,
  context: Context,
  about: 'list' | 'items',
): OffsetPlan {
  const narrowed = conditions.reduce(
    (before, conditionFor) => planWith(before, conditionFor(context)),
    plan,
  )
  if (hooks.length === 0) return narrowed
  let query: IQuery = createQuery(source(), narrowed)
  for (const hook of hooks) query = runQueryHook(hook, query, context, about)
  return query.plan as OffsetPlan
}

/** Conditions are built with these queries, which are never run. */
const neverRun = memoizeBy(
  (model: ModelDescription): QuerySource => ({
    ...storedOperandSource(model),
    size: () => Promise.reject(new Error(notRun)),
    exec: () => {
      throw new Error(notRun)
    },
  }),
)

const notRun = 'A query hook cannot execute its query. Return a narrowed query instead.'

/** Names each member, because every request makes this plan. */
function planWith({ condition, sort, pageRange }: OffsetPlan, added: Condition): OffsetPlan {
  return { condition: andAlso(condition, added), sort, pageRange }
}
