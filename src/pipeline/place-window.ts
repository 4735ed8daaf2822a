import { refusal } from '../error/api-error.ts'
import type { ModelView } from '../model/model-view.ts'
import type { Bound } from '../operation/within-bound.ts'
import { both, hasId } from '../query/conditions.ts'
import type { CursorPosition } from '../query/cursor.ts'
import type { Position, QueryPlan, SlicePlan, Window } from '../query/query-plan.ts'
import { boundOf, positionDigest, type ShortPosition } from '../query/short-position.ts'
import type { Page } from '../rule/selection.ts'
import { onBehalf } from '../store/on-behalf.ts'
import type { Caller, StoreAccess } from '../store/store.ts'
import type { Parts } from './parts.ts'
import { needsSeal } from './seals.ts'

/** A plan with the client's page in it. */
export interface Placed {
  readonly plan: QueryPlan
  /** What there is of the list for this caller. */
  readonly bound: Bound
  /** Does the page reach the end of that? */
  readonly isLast: boolean
}

/**
 * Puts the client's page into what middleware left of the list: pages walk within what it skips and its limit. Only now, with the whole sort known,
 * can cursors be read. The store is asked where one of them holds less than a whole position.
 */
export function placeWindow(
  parts: Parts,
  view: ModelView,
  plan: SlicePlan,
  page: Page,
  caller: Caller,
): Placed | Promise<Placed> {
  const { skip, limit } = plan.window
  const bound: Bound = { skip, limit }
  const at = (window: Window, isLast = false): Placed => ({ plan: { ...plan, window }, bound, isLast })
  const slice = (start: number, size: number): Placed => {
    const left = Math.max(0, limit - start)
    return at({ kind: 'slice', skip: skip + start, limit: Math.min(size, left) }, size >= left)
  }
  switch (page.kind) {
    case 'none':
      return { plan, bound, isLast: true }
    case 'number':
      return slice((page.number - 1) * page.size, page.size)
    case 'offset':
      return slice(page.offset, page.size)
    case 'cursor': {
      const { size } = page
      const after = cursorIn(parts, view, plan, 'after', page.after)
      const before = cursorIn(parts, view, plan, 'before', page.before)
      const between = (after: Position | undefined, before: Position | undefined) =>
        after || before ? at(windowBetween(size, after, before)) : slice(0, size)
      if (after?.kind !== 'short' && before?.kind !== 'short') return between(after?.position, before?.position)
      const asked = { store: onBehalf(parts.store, caller) }
      const found = Promise.all([
        positionOf(asked, view, plan, 'after', after),
        positionOf(asked, view, plan, 'before', before),
      ])
      return found.then(([after, before]) => between(after, before))
    }
  }
}

function windowBetween(limit: number, after: Position | undefined, before: Position | undefined): Window {
  if (after && before) return { kind: 'between', after, before, limit }
  return after ? { kind: 'after', position: after, limit } : { kind: 'before', position: before!, limit }
}

/** The store is asked for the caller, so that the question ends when the caller leaves. */
interface Asked {
  readonly store: StoreAccess
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
  parts: Asked,
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
  { store }: Asked,
  { model }: ModelView,
  { condition, sort }: QueryPlan,
  { id, digest }: ShortPosition,
): Promise<Position | undefined> {
  const window: Window = { kind: 'slice', skip: 0, limit: 1 }
  const { places } = await store.page(model, { condition: both(condition, hasId(id)), sort, window })
  const position = places[0]?.position
  return position && positionDigest(position) === digest ? position : undefined
}

function unreadable(member: Member, advice: string) {
  return refusal('invalid-cursor', `The cursor cannot be read for this list; ${advice}.`, {
    parameter: `page[${member}]`,
  })
}
