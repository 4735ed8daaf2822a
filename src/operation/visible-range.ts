import type { ModelDescription } from '../model/model-description.ts'
import { positionComparator } from '../query/compare.ts'
import type { PageRange, Position, QueryPlan } from '../query/query-plan.ts'
import type { PageEntry, StoreReader } from '../store/store.ts'

/**
 * What hooks leave of a list for a caller: what they skip at its start, and how many items at most.
 */
export interface VisibleRange {
  readonly offset: number
  readonly limit: number
}

export function isPartialRange({ offset, limit }: VisibleRange): boolean {
  return offset > 0 || limit !== Number.POSITIVE_INFINITY
}

/** How many of so many items there are for the caller. */
export function countVisible({ offset, limit }: VisibleRange, count: number): number {
  return Math.min(limit, Math.max(0, count - offset))
}

/** A plan whose window begins and ends at cursors, and what its items have to lie behind. */
export interface ClampedPlan {
  readonly plan: QueryPlan
  readonly isInRange: (place: PageEntry) => boolean
}

/**
 * Keeps cursors within what there is: a client may have one that was made for another list, or make
 * one up.
 */
export async function clampToVisibleRange(
  store: StoreReader,
  model: ModelDescription,
  plan: QueryPlan,
  { offset, limit }: VisibleRange,
): Promise<ClampedPlan> {
  const compare = positionComparator(plan.sort)
  const at = async (index: number): Promise<Position | undefined> => {
    const { entries } = await store.page(model, {
      ...plan,
      pageRange: { kind: 'slice', offset: index, limit: 1 },
    })
    return entries[0]?.position
  }
  const skipped = offset === 0 ? undefined : await at(offset - 1)
  const beyond = limit === Number.POSITIVE_INFINITY ? undefined : await at(offset + limit)
  const later = (one: Position, other: Position | undefined) =>
    other && compare(other, one) > 0 ? other : one
  const earlier = (one: Position, other: Position | undefined) =>
    other && compare(other, one) < 0 ? other : one
  // Where fewer items are there than are skipped, nothing is left behind them.
  const isWithin = ({ position }: PageEntry) =>
    offset === 0 || (skipped !== undefined && compare(position, skipped) > 0)
  return { plan: { ...plan, pageRange: edged(plan.pageRange) }, isInRange: isWithin }

  function edged(window: PageRange): PageRange {
    switch (window.kind) {
      case 'slice':
        return window
      case 'before':
        return { ...window, position: earlier(window.position, beyond) }
      case 'between':
        return {
          ...window,
          after: later(window.after, skipped),
          before: earlier(window.before, beyond),
        }
      case 'after': {
        const { limit } = window
        const position = later(window.position, skipped)
        return beyond
          ? { kind: 'between', after: position, before: beyond, limit }
          : { ...window, position }
      }
    }
  }
}
