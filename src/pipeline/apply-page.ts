import { needsEncryptedCursors } from '../document/cursor-encryption.ts'
import { type ApiError, createApiError } from '../error/api-error.ts'
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
import type { StoreCall } from '../store/store-call.ts'
import { type ReadAccess, storeForCaller } from '../store/store-for-caller.ts'
import type { RouterServices } from './router-services.ts'

/** A plan, narrowed to the requested page. */
export interface PagedPlan {
  readonly plan: QueryPlan
  /** The part of the list that hooks let the caller see. */
  readonly visibleRange: VisibleRange
  /** Whether the page reaches the end of the visible range. */
  readonly isLastPage: boolean
}

/**
 * Applies the page of the request to the plan. Pages lie inside the offset and limit of hooks.
 * Cursors can only be decoded here, where the whole sort is known. A truncated cursor needs a
 * query.
 */
export function applyPage(
  services: RouterServices,
  view: ModelView,
  plan: OffsetPlan,
  page: Page,
  caller: StoreCall,
): PagedPlan | Promise<PagedPlan> {
  switch (page.kind) {
    case 'none':
      return { plan, visibleRange: visibleRangeOf(plan), isLastPage: true }
    case 'number':
      return slice(plan, (page.number - 1) * page.size, page.size)
    case 'offset':
      return slice(plan, page.offset, page.size)
    case 'cursor': {
      const { size } = page
      const after = readCursor(services, view, plan, 'after', page.after)
      const before = readCursor(services, view, plan, 'before', page.before)
      if (after?.kind !== 'truncated' && before?.kind !== 'truncated')
        return cursorPage(plan, size, after?.position, before?.position)
      const callerStore = { store: storeForCaller(services.store, caller) }
      const positions = Promise.all([
        positionOf(callerStore, view, plan, 'after', after),
        positionOf(callerStore, view, plan, 'before', before),
      ])
      return positions.then(([after, before]) => cursorPage(plan, size, after, before))
    }
  }
}

function visibleRangeOf({ pageRange: { offset, limit } }: OffsetPlan): VisibleRange {
  return { offset, limit }
}

/** So many items of the plan. */
function slice(plan: OffsetPlan, start: number, size: number): PagedPlan {
  const { offset, limit } = plan.pageRange
  const remaining = Math.max(0, limit - start)
  const pageRange: PageRange = {
    kind: 'offset',
    offset: offset + start,
    limit: Math.min(size, remaining),
  }
  return pagedPlan(plan, pageRange, size >= remaining)
}

function cursorPage(
  plan: OffsetPlan,
  size: number,
  after: Position | undefined,
  before: Position | undefined,
): PagedPlan {
  return after || before
    ? pagedPlan(plan, rangeBetween(size, after, before), false)
    : slice(plan, 0, size)
}

/** Names each member, because most requests for lists make this plan. */
function pagedPlan(plan: OffsetPlan, pageRange: PageRange, isLastPage: boolean): PagedPlan {
  const { condition, sort } = plan
  return { plan: { condition, sort, pageRange }, visibleRange: visibleRangeOf(plan), isLastPage }
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

/** The query ends when the caller leaves. */
interface CallerStore {
  readonly store: ReadAccess
}

type CursorMember = 'after' | 'before'

function readCursor(
  services: RouterServices,
  view: ModelView,
  { sort }: QueryPlan,
  member: CursorMember,
  cursor: string | undefined,
): DecodedCursor | undefined {
  if (cursor === undefined) return undefined
  const decoded = services.cursorCodec.decode(
    sort,
    cursor,
    needsEncryptedCursors(services, view, sort),
  )
  if (decoded) return decoded
  throw invalidCursor(member, invalidCursorDetail)
}

/**
 * If the item was changed or deleted, the position is as near as the cursor allows: items may come
 * twice, but none is left out.
 */
async function positionOf(
  callerStore: CallerStore,
  view: ModelView,
  plan: QueryPlan,
  member: CursorMember,
  cursor: DecodedCursor | undefined,
): Promise<Position | undefined> {
  if (cursor?.kind !== 'truncated') return cursor?.position
  const { truncated } = cursor
  const position =
    (await currentPosition(callerStore, view, plan, truncated)) ??
    boundingPosition(truncated, plan.sort, member === 'after' ? 'forwards' : 'backwards')
  if (position) return position
  throw invalidCursor(
    member,
    'The cursor has expired: its item was changed or deleted. Start with the first page.',
  )
}

/**
 * The query has the condition of the list, so that a forged cursor reveals nothing about an item
 * that the list hides.
 */
async function currentPosition(
  { store }: CallerStore,
  { model }: ModelView,
  { condition, sort }: QueryPlan,
  { id, digest }: TruncatedPosition,
): Promise<Position | undefined> {
  const pageRange: PageRange = { kind: 'offset', offset: 0, limit: 1 }
  const { entries } = await store.page(model, {
    condition: andAlso(condition, idEquals(id)),
    sort,
    pageRange,
  })
  const position = entries[0]?.position
  return position && positionDigest(position) === digest ? position : undefined
}

export const invalidCursorDetail =
  'Invalid cursor. Use a cursor from a link of the same list with the same sort order.'

function invalidCursor(member: CursorMember, detail: string): ApiError {
  return createApiError('invalid-cursor', detail, { parameter: `page[${member}]` })
}
