import { memoizeBy } from '../cache/memoize-by.ts'
import type { Context } from '../context/context.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { allOf, andAlso } from '../query/conditions.ts'
import type { IQuery } from '../query/iquery.ts'
import { createQuery, type QuerySource } from '../query/query.ts'
import type { Condition, OffsetPlan } from '../query/query-plan.ts'
import { StoredOperands } from '../stored-item/code-values.ts'
import type { NamedQueryHook } from './named-hook.ts'
import { runQueryHook } from './run-query-hook.ts'

/** Builds the condition of an access rule for one request. */
export type ConditionFor = (context: Context) => Condition

/** The access rules and query hooks that decide which items of a model a request reaches. */
export interface Narrowing {
  /** Those of access rules, which come before the hooks. */
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
export function applyNarrowing(
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

/** The source of queries that only collect conditions. */
const neverRun = memoizeBy((model: ModelDescription): QuerySource => new NeverRun(model))

class NeverRun extends StoredOperands implements QuerySource {
  size(): Promise<number> {
    return Promise.reject(new Error(notRun))
  }

  exec(): never {
    throw new Error(notRun)
  }
}

const notRun = 'A query hook cannot execute its query. Return a narrowed query instead.'

/** Names each member instead of spreading the plan, which is slower, for every request. */
function planWith({ condition, sort, pageRange }: OffsetPlan, added: Condition): OffsetPlan {
  return { condition: andAlso(condition, added), sort, pageRange }
}
