import { refuse } from '../error/api-error.ts'
import type { ModelView } from '../model/model-view.ts'
import type { Position, QueryPlan, Window } from '../query/query-plan.ts'
import type { Page } from '../rule/selection.ts'
import type { Parts } from './parts.ts'
import { needsSeal } from './seals.ts'

/** A plan with the client's page in it. */
export interface Placed {
  readonly plan: QueryPlan
  /** How many items at the start of the list middleware leaves out: a page before a cursor must not reach them. */
  readonly skipped: number
}

/**
 * Puts the client's page into what middleware left of the list: its limit is the most a page holds, what it skips comes before the first
 * page. Only now, with the whole sort known, can cursors be read.
 */
export function placeWindow(parts: Parts, view: ModelView, plan: QueryPlan, page: Page): Placed {
  const { limit } = plan.window
  const skipped = plan.window.kind === 'slice' ? plan.window.skip : 0
  const at = (window: Window): Placed => ({ plan: { ...plan, window }, skipped })
  switch (page.kind) {
    case 'none':
      return { plan, skipped }
    case 'number':
      return at({ kind: 'slice', skip: skipped + (page.number - 1) * limit, limit })
    case 'offset':
      return at({ kind: 'slice', skip: skipped + page.offset, limit })
    case 'cursor': {
      const after = positionOf(parts, view, plan, 'after', page.after)
      const before = positionOf(parts, view, plan, 'before', page.before)
      if (after && before) return at({ kind: 'between', after, before, limit })
      if (after) return at({ kind: 'after', position: after, limit })
      return before ? at({ kind: 'before', position: before, limit }) : { plan, skipped }
    }
  }
}

function positionOf(
  parts: Parts,
  view: ModelView,
  { sort }: QueryPlan,
  member: string,
  cursor: string | undefined,
): Position | undefined {
  if (cursor === undefined) return undefined
  const found = parts.cursors.read(sort, cursor, needsSeal(parts, view, sort))
  if (found) return found
  throw refuse(
    'invalid-cursor',
    'The cursor cannot be read for this list; take it from a link of the same list in the same sort.',
    {
      parameter: `page[${member}]`,
    },
  )
}
