import { refusal } from '../error/api-error.ts'
import type { ModelView } from '../model/model-view.ts'
import { both, hasId } from '../query/conditions.ts'
import type { CursorPosition } from '../query/cursor.ts'
import type { Position, QueryPlan, Window } from '../query/query-plan.ts'
import { boundOf, positionDigest, type ShortPosition } from '../query/short-position.ts'
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
 * page. Only now, with the whole sort known, can cursors be read. The store is asked where one of them holds less than a whole position.
 */
export function placeWindow(parts: Parts, view: ModelView, plan: QueryPlan, page: Page): Placed | Promise<Placed> {
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
      const after = cursorIn(parts, view, plan, 'after', page.after)
      const before = cursorIn(parts, view, plan, 'before', page.before)
      if (after?.kind !== 'short' && before?.kind !== 'short')
        return at(windowBetween(plan, after?.position, before?.position))
      const found = Promise.all([
        positionOf(parts, view, plan, 'after', after),
        positionOf(parts, view, plan, 'before', before),
      ])
      return found.then(([after, before]) => at(windowBetween(plan, after, before)))
    }
  }
}

function windowBetween({ window }: QueryPlan, after: Position | undefined, before: Position | undefined): Window {
  const { limit } = window
  if (after && before) return { kind: 'between', after, before, limit }
  if (after) return { kind: 'after', position: after, limit }
  return before ? { kind: 'before', position: before, limit } : window
}

type Member = 'after' | 'before'

function cursorIn(
  parts: Parts,
  view: ModelView,
  { sort }: QueryPlan,
  member: Member,
  cursor: string | undefined,
): CursorPosition | undefined {
  if (cursor === undefined) return undefined
  const read = parts.cursors.read(sort, cursor, needsSeal(parts, view, sort))
  if (read) return read
  throw unreadable(member, 'take it from a link of the same list in the same sort')
}

/** Of an item that has changed or is gone meanwhile, as near to its position as the cursor tells: items may come twice, none is left out. */
async function positionOf(
  parts: Parts,
  view: ModelView,
  plan: QueryPlan,
  member: Member,
  cursor: CursorPosition | undefined,
): Promise<Position | undefined> {
  if (cursor?.kind !== 'short') return cursor?.position
  const { short } = cursor
  const position =
    (await presentPosition(parts, view, plan, short)) ??
    boundOf(short, plan.sort, member === 'after' ? 'forwards' : 'backwards')
  if (position) return position
  throw unreadable(member, 'its item has changed or is gone; begin with the first page')
}

/** Asked with the condition of the list, so that a made-up cursor finds out nothing about an item that the list does not show. */
async function presentPosition(
  { store }: Parts,
  { model }: ModelView,
  { condition, sort }: QueryPlan,
  { id, digest }: ShortPosition,
): Promise<Position | undefined> {
  const window: Window = { kind: 'slice', skip: 0, limit: 1 }
  const [placed] = await store.page(model, { condition: both(condition, hasId(id)), sort, window })
  return placed && positionDigest(placed.position) === digest ? placed.position : undefined
}

function unreadable(member: Member, advice: string) {
  return refusal('invalid-cursor', `The cursor cannot be read for this list; ${advice}.`, {
    parameter: `page[${member}]`,
  })
}
