import { type Context, contextForItem } from '../context/context.ts'
import { guardPlan } from '../context/guard-plan.ts'
import type { Hooks } from '../middleware/hooks.ts'
import { applyNarrowing, type Narrowing, narrowsNothing } from '../middleware/narrowing.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { ModelView } from '../model/model-view.ts'
import { andAlso, idEquals } from '../query/conditions.ts'
import {
  allItemsPlan,
  type Condition,
  type OffsetPlan,
  type QueryPlan,
} from '../query/query-plan.ts'
import { type ModelRule, relationTargetOf } from '../rule/rule.ts'
import { defaultSelection, type Selection } from '../rule/selection.ts'
import type { RelationTarget } from '../rule/target.ts'
import { storeForCaller } from '../store/store-for-caller.ts'
import { StoreQueries } from '../store/store-queries.ts'
import { applyPage, type PagedPlan } from './apply-page.ts'
import type { RouterServices } from './router-services.ts'

/**
 * Compiles the query of each request from the parameters, the access rules, the query hooks of
 * phase 2, and the id of the path, in this order. All of them are combined by AND.
 * @param pathNames whether the id of the path names the item, or the owner of a relation to it
 */
export function compileNarrowing(
  services: RouterServices,
  model: ModelDescription,
  narrowing: Narrowing,
  pathNames: 'item' | 'owner',
  about: 'list' | 'items',
): (selection: Selection, context: Context) => PagedPlan | Promise<PagedPlan> {
  const view = services.views.of(model)
  const hookContext = hookContextOf(services, model, pathNames, about)
  const narrow = compilePlanNarrowing(services, model, narrowing, about, hookContext)
  return (selection, context) => {
    const pagedPlan = applyPage(services, view, narrow(selection, context), selection.page, context)
    if (context.id === undefined || pathNames === 'owner') return pagedPlan
    const { id } = context
    return pagedPlan instanceof Promise
      ? pagedPlan.then((page) => withId(page, id))
      : withId(pagedPlan, id)
  }
}

/** What an item of the list satisfies that a request selects. */
export type ListCondition = (selection: Selection, context: Context) => Condition

/** The whole list that a request selects. */
export type ListPlan = (selection: Selection, context: Context) => OffsetPlan

/**
 * Compiles it for a list of the model.
 * @param pathNames what the id of the path names, as in `compileNarrowing`
 */
export function compileListPlan(
  services: NarrowingServices,
  model: ModelDescription,
  narrowing: Narrowing,
  pathNames: 'item' | 'owner',
): ListPlan {
  const hookContext = hookContextOf(services, model, pathNames, 'list')
  return compilePlanNarrowing(services, model, narrowing, 'list', hookContext)
}

/** The context that query hooks get: the id of an owner is of another model. */
function hookContextOf(
  { guards }: NarrowingServices,
  model: ModelDescription,
  pathNames: 'item' | 'owner',
  about: 'list' | 'items',
): (context: Context) => Context {
  return pathNames === 'owner'
    ? (context) => guards.readContext(model, context, about)
    : (context) => context
}

/** Compiles it for a list of the model. */
export function compileListCondition(
  services: NarrowingServices,
  model: ModelDescription,
  narrowing: Narrowing,
): ListCondition {
  const narrow = compileListPlan(services, model, narrowing, 'item')
  return (selection, context) => narrow(selection, context).condition
}

function withId({ plan, visibleRange, isLastPage }: PagedPlan, id: string): PagedPlan {
  return { plan: planWithId(plan, id), visibleRange, isLastPage }
}

/** Names each member, because every request for one item makes this plan. */
function planWithId({ condition, sort, pageRange }: QueryPlan, id: string): QueryPlan {
  return { condition: andAlso(condition, idEquals(id)), sort, pageRange }
}

/** What narrows a query. */
type NarrowingServices = Pick<RouterServices, 'guards' | 'store' | 'views'>

/** Compiles the query for the item in the path, for rules that go through a relation. */
export function compileOwnerNarrowing(
  services: NarrowingServices,
  rule: ModelRule,
  { owner: view }: RelationTarget,
  narrowing: Narrowing,
): (context: Context) => QueryPlan {
  const narrow = compileOwnerPlan(services, rule, view, narrowing)
  return (context) => {
    const plan = narrow(context)
    return context.id === undefined ? plan : planWithId(plan, context.id)
  }
}

function compileOwnerPlan(
  services: NarrowingServices,
  rule: ModelRule,
  view: ModelView,
  narrowing: Narrowing,
): (context: Context) => QueryPlan {
  // The rule is about the related items; the narrowing is about the item in the path.
  const ownerRule: ModelRule = Object.freeze({ ...rule, view })
  const narrow = compilePlanNarrowing(services, view.model, narrowing, 'items', (context) =>
    contextForItem(context, ownerRule, context.id),
  )
  return (context) => narrow(defaultSelection, context)
}

/** Compiles what the item in the path must satisfy besides its id, whatever the path leads to. */
export function compileItemCondition(
  services: NarrowingServices,
  rule: ModelRule,
  hooks: Hooks,
): (context: Context) => Condition {
  const target = relationTargetOf(rule)
  if (target) {
    const narrow = compileOwnerPlan(services, rule, target.owner, hooks.owner)
    return (context) => narrow(context).condition
  }
  const narrow = compilePlanNarrowing(
    services,
    rule.view.model,
    hooks.query,
    'items',
    (context) => context,
  )
  return (context) => narrow(defaultSelection, context).condition
}

function compilePlanNarrowing(
  services: NarrowingServices,
  model: ModelDescription,
  narrowing: Narrowing,
  about: 'list' | 'items',
  hookContext: (context: Context) => Context,
): (selection: Selection, context: Context) => OffsetPlan {
  const isGuarded =
    !services.guards.fields.isEmpty ||
    services.views.all.some((view) => services.guards.isGuarded(view.model))
  const isUnlimited = narrowsNothing(narrowing)
  return (selection, context) => {
    const plan = requestedPlan(selection)
    // Filters and sorts must not reveal what the middleware of related models hides.
    const guarded =
      isGuarded && plan !== allItemsPlan ? guardPlan(plan, model, services.guards, context) : plan
    return isUnlimited
      ? guarded
      : applyNarrowing(
          narrowing,
          guarded,
          () => new StoreQueries(model, () => storeForCaller(services.store, context)),
          hookContext(context),
          about,
        )
  }
}

/** Without the page: hooks limit the list first, and pages lie within that. */
function requestedPlan(selection: Selection): OffsetPlan {
  if (selection === defaultSelection) return allItemsPlan
  const { condition, sort } = selection
  return { condition, sort, pageRange: allItemsPlan.pageRange }
}
