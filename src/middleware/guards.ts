import type { Context } from '../context/context.ts'
import type { Guards } from '../context/guards.ts'
import type { ModelDescription } from '../model/description.ts'
import { always, both } from '../query/conditions.ts'
import { type QuerySource, query } from '../query/query.ts'
import type { Condition } from '../query/query-plan.ts'
import type { NamedQueryHook } from './hooks.ts'
import { runQueryHook } from './run-query-hook.ts'

type HooksByModel = ReadonlyMap<ModelDescription, readonly NamedQueryHook[]>

export function guards(hooks: HooksByModel, writeHooks: HooksByModel, outcomeHooks: HooksByModel): Guards {
  return {
    isGuarded: (model) => (hooks.get(model)?.length ?? 0) > 0,
    condition: (model, context) => runQueryHooks(hooks.get(model) ?? [], context),
    narrowed: (model, plan, context) => {
      const condition = runQueryHooks(hooks.get(model) ?? [], context)
      return { ...plan, condition: both(plan.condition, condition) }
    },
    writeCondition: (model, context) => runQueryHooks(writeHooks.get(model) ?? [], context),
    outcome: (model, context) => runQueryHooks(outcomeHooks.get(model) ?? [], context),
  }
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
