import type { ModelDescription } from '../model/model-description.ts'
import { positionComparator } from '../query/compare.ts'
import type { PageRange, Position, QueryPlan } from '../query/query-plan.ts'
import type { PageEntry, StoreReader } from '../store/store-reader.ts'

/** The part of a list that hooks let a caller see. */
export interface VisibleRange {
  readonly offset: number
  readonly limit: number
}

export function isPartialRange({ offset, limit }: VisibleRange): boolean {
  return offset > 0 || limit !== Number.POSITIVE_INFINITY
}

/** How many of `count` items the caller may see. */
export function countVisible({ offset, limit }: VisibleRange, count: number): number {
  return Math.min(limit, Math.max(0, count - offset))
}

/** A plan whose cursors lie inside the visible range, and a test for items of its page. */
export interface ClampedPlan {
  readonly plan: QueryPlan
  readonly isInRange: (entry: PageEntry) => boolean
}

/**
 * Keeps cursors inside the visible range: a client may use a cursor of another list, or forge one.
 */
export async function clampToVisibleRange(
  store: StoreReader,
  model: ModelDescription,
  plan: QueryPlan,
  { offset, limit }: VisibleRange,
): Promise<ClampedPlan> {
  const compare = positionComparator(plan.sort)
  const positionAt = async (index: number): Promise<Position | undefined> => {
    const { entries } = await store.page(model, {
      ...plan,
      pageRange: { kind: 'offset', offset: index, limit: 1 },
    })
    return entries[0]?.position
  }
  const lastHidden = offset === 0 ? undefined : await positionAt(offset - 1)
  const firstBeyond =
    limit === Number.POSITIVE_INFINITY ? undefined : await positionAt(offset + limit)
  const later = (position: Position, bound: Position | undefined) =>
    bound && compare(bound, position) > 0 ? bound : position
  const earlier = (position: Position, bound: Position | undefined) =>
    bound && compare(bound, position) < 0 ? bound : position
  // If the list is shorter than the offset, nothing is visible.
  const isWithin = ({ position }: PageEntry) =>
    offset === 0 || (lastHidden !== undefined && compare(position, lastHidden) > 0)
  return { plan: { ...plan, pageRange: clamp(plan.pageRange) }, isInRange: isWithin }

  function clamp(pageRange: PageRange): PageRange {
    switch (pageRange.kind) {
      case 'offset':
        return pageRange
      case 'before':
        return { ...pageRange, position: earlier(pageRange.position, firstBeyond) }
      case 'between':
        return {
          ...pageRange,
          after: later(pageRange.after, lastHidden),
          before: earlier(pageRange.before, firstBeyond),
        }
      case 'after': {
        const { limit } = pageRange
        const position = later(pageRange.position, lastHidden)
        return firstBeyond
          ? { kind: 'between', after: position, before: firstBeyond, limit }
          : { ...pageRange, position }
      }
    }
  }
}
