import { type Context, contextForItem } from '../context/context.ts'
import type { RouterServices } from '../document/router-services.ts'
import { guardPlan } from '../middleware/guard-plan.ts'
import type { NamedQueryHook } from '../middleware/hooks.ts'
import { runQueryHook } from '../middleware/run-query-hook.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { andAlso, idEquals } from '../query/conditions.ts'
import type { IQuery } from '../query/iquery.ts'
import { createQuery, type QuerySource } from '../query/query.ts'
import type { OffsetPlan, QueryPlan } from '../query/query-plan.ts'
import type { ModelRule, RelationTarget } from '../rule/rule.ts'
import { defaultSelection, type Selection } from '../rule/selection.ts'
import { querySource } from '../store/query-source.ts'
import { storeForCaller } from '../store/store-for-caller.ts'
import { applyPage, type PagedPlan } from './apply-page.ts'

/**
 * Compiles what makes the query of each request: the rule's parameters first, phase-2 middleware
 * second, the path's id last. Each is a closed AND part.
 * @param pathNames what the path's id belongs to: the item itself, or one that it is related to
 */
export function compileNarrowing(
  parts: RouterServices,
  model: ModelDescription,
  hooks: readonly NamedQueryHook[],
  pathNames: 'item' | 'owner',
  about: 'list' | 'items',
): (selection: Selection, context: Context) => PagedPlan | Promise<PagedPlan> {
  const view = parts.views.of(model)
  const asked = (context: Context) =>
    pathNames === 'owner' ? parts.guards.readContext(model, context, about) : context
  const narrowed = compilePlanNarrowing(parts, model, hooks, about, asked)
  return (selection, context) => {
    const placed = applyPage(parts, view, narrowed(selection, context), selection.page, context)
    if (context.id === undefined || pathNames === 'owner') return placed
    const { id } = context
    return placed instanceof Promise ? placed.then((one) => withId(one, id)) : withId(placed, id)
  }
}

function withId(placed: PagedPlan, id: string): PagedPlan {
  return {
    ...placed,
    plan: { ...placed.plan, condition: andAlso(placed.plan.condition, idEquals(id)) },
  }
}

/** The same for the item in the path of rules that lead through it. */
export function compileOwnerNarrowing(
  parts: RouterServices,
  rule: ModelRule,
  { view }: RelationTarget,
  hooks: readonly NamedQueryHook[],
): (context: Context) => QueryPlan {
  // The rule is about what the relation leads to; these hooks are about the item in the path.
  const ofOwner: ModelRule = Object.freeze({ ...rule, view })
  const narrowed = compilePlanNarrowing(parts, view.model, hooks, 'items', (context) =>
    contextForItem(context, ofOwner, context.id),
  )
  return (context) => {
    const plan = narrowed(defaultSelection, context)
    return context.id === undefined
      ? plan
      : { ...plan, condition: andAlso(plan.condition, idEquals(context.id)) }
  }
}

function compilePlanNarrowing(
  parts: RouterServices,
  model: ModelDescription,
  hooks: readonly NamedQueryHook[],
  about: 'list' | 'items',
  asked: (context: Context) => Context,
): (selection: Selection, context: Context) => OffsetPlan {
  const isGuarded = parts.views.all.some((view) => parts.guards.isGuarded(view.model))
  return (selection, context) => {
    const plan = requestedPlan(selection)
    // Filters and sorts cannot tell what the middleware of related models hides.
    const seen =
      isGuarded && plan !== everyItem ? guardPlan(plan, model, parts.guards, context) : plan
    return hooks.length === 0
      ? seen
      : applyQueryHooks(
          querySource(storeForCaller(parts.store, context), model),
          hooks,
          seen,
          asked(context),
          about,
        )
  }
}

/**
 * The client's page is put into it last: hooks bound what there is of the list, and pages walk
 * within that.
 */
function requestedPlan(selection: Selection): OffsetPlan {
  if (selection === defaultSelection) return everyItem
  const { condition, sort } = selection
  return { ...everyItem, condition, sort }
}

function applyQueryHooks(
  source: QuerySource<unknown>,
  hooks: readonly NamedQueryHook[],
  plan: OffsetPlan,
  context: Context,
  about: 'list' | 'items',
): OffsetPlan {
  let narrowed: IQuery = createQuery(source, plan)
  for (const hook of hooks) narrowed = runQueryHook(hook, narrowed, context, about)
  return narrowed.plan as OffsetPlan
}

const everyItem: OffsetPlan = {
  condition: defaultSelection.condition,
  sort: [],
  pageRange: { kind: 'slice', offset: 0, limit: Number.POSITIVE_INFINITY },
}
