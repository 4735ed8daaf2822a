import type { Context } from '../context/context.ts'
import { refuse } from '../error/api-error.ts'
import type { QueryHook } from '../middleware/middleware.ts'
import type { ModelDescription } from '../model/description.ts'
import { both, hasId, mapPaths } from '../query/conditions.ts'
import type { IQuery } from '../query/iquery.ts'
import { type QuerySource, query } from '../query/query.ts'
import type { FieldPath, QueryPlan, Window } from '../query/query-plan.ts'
import { type Page, type Selection, wholeSelection } from '../rule/selection.ts'
import { querySource } from '../store/query-source.ts'
import { guardPath } from './guard-paths.ts'
import type { Parts } from './parts.ts'

/**
 * Compiles what makes the query of each request: the rule's parameters first, phase-2 middleware second, the path's id last. Each is a
 * closed AND part.
 */
export function narrower(
  parts: Parts,
  model: ModelDescription,
  hooks: readonly QueryHook[],
): (selection: Selection, context: Context) => QueryPlan {
  const source = querySource(parts.store, model)
  const isGuarded = parts.views.all.some((view) => parts.guards.isGuarded(view.model))
  return (selection, context) => {
    const asked = isGuarded ? guarded(parts, model, askedPlan(selection), context) : askedPlan(selection)
    const narrowed = hooks.length === 0 ? asked : runHooks(source, hooks, asked, context)
    const plan = placed(parts, narrowed, selection.page)
    return context.id === undefined ? plan : { ...plan, condition: both(plan.condition, hasId(context.id)) }
  }
}

function askedPlan(selection: Selection): QueryPlan {
  if (selection === wholeSelection) return everyItem
  const { condition, sort, page } = selection
  return { condition, sort, window: windowOf(page) }
}

/** Filters and sorts cannot tell what the middleware of related models hides. */
function guarded({ guards }: Parts, model: ModelDescription, plan: QueryPlan, context: Context): QueryPlan {
  if (plan === everyItem) return plan
  const guard = (path: FieldPath) => guardPath(path, model, guards, context)
  return {
    ...plan,
    condition: mapPaths(plan.condition, guard),
    sort: plan.sort.map((key) => ({ ...key, path: guard(key.path) })),
  }
}

function runHooks(
  source: QuerySource<unknown>,
  hooks: readonly QueryHook[],
  plan: QueryPlan,
  context: Context,
): QueryPlan {
  let narrowed: IQuery = query(source, plan)
  for (const hook of hooks) {
    narrowed = hook(narrowed, context)
    if (!narrowed || !('plan' in narrowed)) {
      throw new TypeError(
        `A query hook of ${context.rule.operation} returned no query; it must return the one it was given, or one made from it.`,
      )
    }
  }
  return narrowed.plan
}

const everyItem: QueryPlan = {
  condition: wholeSelection.condition,
  sort: [],
  window: { kind: 'slice', skip: 0, limit: Number.POSITIVE_INFINITY },
}

function windowOf(page: Page): Window {
  switch (page.kind) {
    case 'none':
      return everyItem.window
    case 'number':
      return { kind: 'slice', skip: (page.number - 1) * page.size, limit: page.size }
    case 'offset':
      return { kind: 'slice', skip: page.offset, limit: page.size }
    case 'cursor':
      return { kind: 'slice', skip: 0, limit: page.size }
  }
}

/** Puts cursors in their place: only now, with the whole sort known, can they be read. */
function placed({ cursors }: Parts, plan: QueryPlan, page: Page): QueryPlan {
  if (page.kind !== 'cursor' || (page.after === undefined && page.before === undefined)) return plan
  const position = (member: 'after' | 'before', cursor: string) => {
    const found = cursors.read(plan.sort, cursor)
    if (found) return found
    throw refuse(
      'invalid-cursor',
      'The cursor cannot be read for this list; take it from a link of the same list in the same sort.',
      { parameter: `page[${member}]` },
    )
  }
  const { limit } = plan.window
  const after = page.after === undefined ? undefined : position('after', page.after)
  const before = page.before === undefined ? undefined : position('before', page.before)
  if (after && before) return { ...plan, window: { kind: 'between', after, before, limit } }
  return {
    ...plan,
    window: after ? { kind: 'after', position: after, limit } : { kind: 'before', position: before!, limit },
  }
}
