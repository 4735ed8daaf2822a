import type { Context } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { ModelDescription } from '../model/description.ts'
import { always, both } from '../query/conditions.ts'
import type { IQuery } from '../query/iquery.ts'
import { type QuerySource, query } from '../query/query.ts'
import type { Condition, QueryPlan, SlicePlan } from '../query/query-plan.ts'
import type { NamedQueryHook } from './hooks.ts'
import { runQueryHook } from './run-query-hook.ts'

type HooksByModel = ReadonlyMap<ModelDescription, readonly NamedQueryHook[]>

export function guards(hooks: HooksByModel, writeHooks: HooksByModel, outcomeHooks: HooksByModel): Guards {
  return {
    isGuarded: (model) => (hooks.get(model)?.length ?? 0) > 0,
    condition: (model, context) => runQueryHooks(hooks.get(model) ?? [], context),
    narrowed: (model, plan, context) => {
      let narrowed: IQuery = query(unanswered, plan)
      for (const hook of hooks.get(model) ?? []) narrowed = runQueryHook(hook, narrowed, context)
      return slicePlan(narrowed.plan)
    },
    writeCondition: (model, context) => runQueryHooks(writeHooks.get(model) ?? [], context),
    outcome: (model, context) => runQueryHooks(outcomeHooks.get(model) ?? [], context),
  }
}

/** The conditions that hooks add to an open query, as one closed condition. */
export function runQueryHooks(hooks: readonly NamedQueryHook[], context: Context): Condition {
  return hooks.reduce<Condition>(
    (condition, hook) => both(condition, runQueryHook(hook, query(unanswered), context).plan.condition),
    always,
  )
}

/** Hooks cannot turn a window around that counts from the start. */
function slicePlan({ window, ...plan }: QueryPlan): SlicePlan {
  if (window.kind !== 'slice') throw new TypeError('A query hook returned a query that it did not make from its own.')
  return { ...plan, window }
}

/** Guards are built, never asked. */
const unanswered: QuerySource<never> = {
  size: () => Promise.reject(new Error('A query hook narrows its query; it cannot ask it.')),
  exec: () => {
    throw new Error('A query hook narrows its query; it cannot ask it.')
  },
}
