import type { Context } from '../context/context.ts'
import { writePrecondition } from '../http/precondition.ts'
import { runQueryHooks } from '../middleware/guards.ts'
import type { Hooks } from '../middleware/hooks.ts'
import type { QueryHook } from '../middleware/middleware.ts'
import type { ModelDescription } from '../model/description.ts'
import type { Result } from '../operation/job.ts'
import type { QueryPlan } from '../query/query-plan.ts'
import { parameterReader } from '../rule/parameter/read-parameters.ts'
import type { Rule } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'
import type { SentItem } from '../serializer/sent.ts'
import { narrower } from './narrow.ts'
import { type AnyJob, implementations } from './operate.ts'
import type { Parts } from './parts.ts'
import { type Representer, representer } from './represent.ts'

/** A rule with all that is decided about it at registration. */
export interface Endpoint {
  readonly rule: Rule
  readonly hooks: Hooks
  readonly representers: ReadonlyMap<ModelDescription, Representer>
  select(query: string): Selection
  narrow(selection: Selection, context: Context): QueryPlan
  operate(context: Context, plan: QueryPlan, selection: Selection, sent: SentItem | undefined): Promise<Result>
}

export function endpoint(parts: Parts, rule: Rule, hooks: Hooks, createChecks: readonly QueryHook[]): Endpoint {
  const { store, guards } = parts
  const { view } = rule
  const operation = implementations[rule.operation]
  const requireMatch = parts.requireMatch || view.model.requireMatch
  return {
    rule,
    hooks,
    representers: new Map(parts.views.all.map((view) => [view.model, representer(parts, view)])),
    select: parameterReader(rule.parameters),
    narrow: narrower(parts, view.model, hooks.query),
    operate: (context, plan, { page, withCount }, sent) =>
      operation({
        store,
        view,
        context,
        guards,
        plan,
        page,
        withCount,
        precondition: writePrecondition(context.request.headers),
        requireMatch,
        createCheck: runQueryHooks(createChecks, context),
        // Operations that read a body stand behind rules that decode one.
        sent: sent as AnyJob['sent'],
      }),
  }
}
