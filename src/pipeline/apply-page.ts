import { needsEncryptedCursors } from '../document/cursor-encryption.ts'
import type { RouterServices } from '../document/router-services.ts'
import { createApiError } from '../error/api-error.ts'
import type { ModelView } from '../model/model-view.ts'
import type { VisibleRange } from '../operation/visible-range.ts'
import { andAlso, idEquals } from '../query/conditions.ts'
import type { DecodedCursor } from '../query/cursor-codec.ts'
import type { OffsetPlan, PageRange, Position, QueryPlan } from '../query/query-plan.ts'
import {
  boundingPosition,
  positionDigest,
  type TruncatedPosition,
} from '../query/truncated-position.ts'
import type { Page } from '../rule/selection.ts'
import type { Caller, StoreAccess } from '../store/store.ts'
import { storeForCaller } from '../store/store-for-caller.ts'

/** A plan with the client's page in it. */
export interface PagedPlan {
  readonly plan: QueryPlan
  /** What there is of the list for this caller. */
  readonly visibleRange: VisibleRange
  /** Does the page reach the end of that? */
  readonly isLastPage: boolean
}

/**
 * Puts the client's page into what middleware left of the list: pages walk within what it skips and
 * its limit. Only now, with the whole sort known, can cursors be read. The store is asked where one
 * of them holds less than a whole position.
 */
export function applyPage(
  parts: RouterServices,
  view: ModelView,
  plan: OffsetPlan,
  page: Page,
  caller: Caller,
): PagedPlan | Promise<PagedPlan> {
  const { offset, limit } = plan.pageRange
  const bound: VisibleRange = { offset, limit }
  const at = (window: PageRange, isLast = false): PagedPlan => ({
    plan: { ...plan, pageRange: window },
    visibleRange: bound,
    isLastPage: isLast,
  })
  const slice = (start: number, size: number): PagedPlan => {
    const left = Math.max(0, limit - start)
    return at({ kind: 'slice', offset: offset + start, limit: Math.min(size, left) }, size >= left)
  }
  switch (page.kind) {
    case 'none':
      return { plan, visibleRange: bound, isLastPage: true }
    case 'number':
      return slice((page.number - 1) * page.size, page.size)
    case 'offset':
      return slice(page.offset, page.size)
    case 'cursor': {
      const { size } = page
      const after = readCursor(parts, view, plan, 'after', page.after)
      const before = readCursor(parts, view, plan, 'before', page.before)
      const between = (after: Position | undefined, before: Position | undefined) =>
        after || before ? at(rangeBetween(size, after, before)) : slice(0, size)
      if (after?.kind !== 'short' && before?.kind !== 'short')
        return between(after?.position, before?.position)
      const asked = { store: storeForCaller(parts.store, caller) }
      const found = Promise.all([
        positionOf(asked, view, plan, 'after', after),
        positionOf(asked, view, plan, 'before', before),
      ])
      return found.then(([after, before]) => between(after, before))
    }
  }
}

function rangeBetween(
  limit: number,
  after: Position | undefined,
  before: Position | undefined,
): PageRange {
  if (after && before) return { kind: 'between', after, before, limit }
  return after
    ? { kind: 'after', position: after, limit }
    : { kind: 'before', position: before!, limit }
}

/** The store is asked for the caller, so that the question ends when the caller leaves. */
interface CallerStore {
  readonly store: StoreAccess
}

type CursorMember = 'after' | 'before'

function readCursor(
  parts: RouterServices,
  view: ModelView,
  { sort }: QueryPlan,
  member: CursorMember,
  cursor: string | undefined,
): DecodedCursor | undefined {
  if (cursor === undefined) return undefined
  const read = parts.cursorCodec.decode(sort, cursor, needsEncryptedCursors(parts, view, sort))
  if (read) return read
  throw invalidCursor(member, 'take it from a link of the same list in the same sort')
}

/**
 * Of an item that has changed or is gone meanwhile, as near to its position as the cursor tells:
 * items may come twice, none is left out.
 */
async function positionOf(
  parts: CallerStore,
  view: ModelView,
  plan: QueryPlan,
  member: CursorMember,
  cursor: DecodedCursor | undefined,
): Promise<Position | undefined> {
  if (cursor?.kind !== 'short') return cursor?.position
  const { short } = cursor
  const position =
    (await currentPosition(parts, view, plan, short)) ??
    boundingPosition(short, plan.sort, member === 'after' ? 'forwards' : 'backwards')
  if (position) return position
  throw invalidCursor(member, 'its item has changed or is gone; begin with the first page')
}

/**
 * Asked with the condition of the list, so that a made-up cursor finds out nothing about an item
 * that the list does not show.
 */
async function currentPosition(
  { store }: CallerStore,
  { model }: ModelView,
  { condition, sort }: QueryPlan,
  { id, digest }: TruncatedPosition,
): Promise<Position | undefined> {
  const window: PageRange = { kind: 'slice', offset: 0, limit: 1 }
  const { entries } = await store.page(model, {
    condition: andAlso(condition, idEquals(id)),
    sort,
    pageRange: window,
  })
  const position = entries[0]?.position
  return position && positionDigest(position) === digest ? position : undefined
}

function invalidCursor(member: CursorMember, advice: string) {
  return createApiError('invalid-cursor', `The cursor cannot be read for this list; ${advice}.`, {
    parameter: `page[${member}]`,
  })
}
