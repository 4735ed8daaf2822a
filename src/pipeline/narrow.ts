import type { Context } from '../context/context.ts'
import { refuse } from '../error/api-error.ts'
import type { QueryHook } from '../middleware/middleware.ts'
import type { ModelDescription } from '../model/description.ts'
import { both, hasId, mapPaths } from '../query/conditions.ts'
import type { IQuery } from '../query/iquery.ts'
import { query } from '../query/query.ts'
import type { QueryPlan, Window } from '../query/query-plan.ts'
import type { Page, Selection } from '../rule/selection.ts'
import { wholeSelection } from '../rule/selection.ts'
import { querySource } from '../store/query-source.ts'
import { guardPath } from './guard-paths.ts'
import type { Parts } from './parts.ts'

/** Makes the query of a request: the rule's parameters first, phase-2 middleware second, the path's id last. Each is a closed AND part. */
export function narrow(
  parts: Parts,
  model: ModelDescription,
  hooks: readonly QueryHook[],
  selection: Selection,
  context: Context,
): QueryPlan {
  const asked = askedPlan(parts, model, selection, context)
  const narrowed = hooks.length === 0 ? asked : runHooks(parts, model, hooks, asked, context)
  const plan = placed(parts, narrowed, selection.page)
  return context.id === undefined ? plan : { ...plan, condition: both(plan.condition, hasId(context.id)) }
}

function askedPlan(
  { guards, views }: Parts,
  model: ModelDescription,
  selection: Selection,
  context: Context,
): QueryPlan {
  if (selection === wholeSelection) return everyItem
  const window = windowOf(selection.page)
  const { condition, sort } = selection
  if (!views.all.some((view) => guards.isGuarded(view.model))) return { condition, sort, window }
  const guarded = (path: Parameters<typeof guardPath>[0]) => guardPath(path, model, guards, context)
  return {
    condition: mapPaths(condition, guarded),
    sort: sort.map((key) => ({ ...key, path: guarded(key.path) })),
    window,
  }
}

function runHooks(
  { store }: Parts,
  model: ModelDescription,
  hooks: readonly QueryHook[],
  plan: QueryPlan,
  context: Context,
): QueryPlan {
  return hooks.reduce<IQuery>(
    (narrowed, hook) => {
      const next = hook(narrowed, context)
      if (next && 'plan' in next) return next
      throw new TypeError(
        `A query hook of ${context.rule.operation} on '${model.name}' returned no query; it must return the one it was given, or one made from it.`,
      )
    },
    query<unknown>(querySource(store, model), plan),
  ).plan
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
