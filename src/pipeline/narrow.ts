import { type Context, contextOn } from '../context/context.ts'
import type { NamedQueryHook } from '../middleware/hooks.ts'
import { runQueryHook } from '../middleware/run-query-hook.ts'
import type { ModelDescription } from '../model/description.ts'
import { both, hasId } from '../query/conditions.ts'
import type { IQuery } from '../query/iquery.ts'
import { type QuerySource, query } from '../query/query.ts'
import type { QueryPlan, SlicePlan } from '../query/query-plan.ts'
import type { ModelRule, Through } from '../rule/rule.ts'
import { type Selection, wholeSelection } from '../rule/selection.ts'
import { onBehalf } from '../store/on-behalf.ts'
import { querySource } from '../store/query-source.ts'
import { guardPlan } from './guard-paths.ts'
import type { Parts } from './parts.ts'
import { type Placed, placeWindow } from './place-window.ts'

/**
 * Compiles what makes the query of each request: the rule's parameters first, phase-2 middleware second, the path's id last. Each is a
 * closed AND part.
 * @param pathNames what the path's id belongs to: the item itself, or one that it is related to
 */
export function narrower(
  parts: Parts,
  model: ModelDescription,
  hooks: readonly NamedQueryHook[],
  pathNames: 'item' | 'owner',
  about: 'list' | 'items',
): (selection: Selection, context: Context) => Placed | Promise<Placed> {
  const view = parts.views.of(model)
  const asked = (context: Context) => (pathNames === 'owner' ? parts.guards.reading(model, context, about) : context)
  const narrowed = planNarrower(parts, model, hooks, about, asked)
  return (selection, context) => {
    const placed = placeWindow(parts, view, narrowed(selection, context), selection.page, context)
    if (context.id === undefined || pathNames === 'owner') return placed
    const { id } = context
    return placed instanceof Promise ? placed.then((one) => withId(one, id)) : withId(placed, id)
  }
}

function withId(placed: Placed, id: string): Placed {
  return { ...placed, plan: { ...placed.plan, condition: both(placed.plan.condition, hasId(id)) } }
}

/** The same for the item in the path of rules that lead through it. */
export function ownerNarrower(
  parts: Parts,
  rule: ModelRule,
  { view }: Through,
  hooks: readonly NamedQueryHook[],
): (context: Context) => QueryPlan {
  // The rule is about what the relation leads to; these hooks are about the item in the path.
  const ofOwner: ModelRule = Object.freeze({ ...rule, view })
  const narrowed = planNarrower(parts, view.model, hooks, 'items', (context) => contextOn(context, ofOwner, context.id))
  return (context) => {
    const plan = narrowed(wholeSelection, context)
    return context.id === undefined ? plan : { ...plan, condition: both(plan.condition, hasId(context.id)) }
  }
}

function planNarrower(
  parts: Parts,
  model: ModelDescription,
  hooks: readonly NamedQueryHook[],
  about: 'list' | 'items',
  asked: (context: Context) => Context,
): (selection: Selection, context: Context) => SlicePlan {
  const isGuarded = parts.views.all.some((view) => parts.guards.isGuarded(view.model))
  return (selection, context) => {
    const plan = askedPlan(selection)
    // Filters and sorts cannot tell what the middleware of related models hides.
    const seen = isGuarded && plan !== everyItem ? guardPlan(plan, model, parts.guards, context) : plan
    return hooks.length === 0
      ? seen
      : runHooks(querySource(onBehalf(parts.store, context), model), hooks, seen, asked(context), about)
  }
}

/** The client's page is put into it last: hooks bound what there is of the list, and pages walk within that. */
function askedPlan(selection: Selection): SlicePlan {
  if (selection === wholeSelection) return everyItem
  const { condition, sort } = selection
  return { ...everyItem, condition, sort }
}

function runHooks(
  source: QuerySource<unknown>,
  hooks: readonly NamedQueryHook[],
  plan: SlicePlan,
  context: Context,
  about: 'list' | 'items',
): SlicePlan {
  let narrowed: IQuery = query(source, plan)
  for (const hook of hooks) narrowed = runQueryHook(hook, narrowed, context, about)
  return narrowed.plan as SlicePlan
}

const everyItem: SlicePlan = {
  condition: wholeSelection.condition,
  sort: [],
  window: { kind: 'slice', skip: 0, limit: Number.POSITIVE_INFINITY },
}
