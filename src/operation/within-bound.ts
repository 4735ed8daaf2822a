import type { ModelDescription } from '../model/description.ts'
import type { Position, QueryPlan, Window } from '../query/query-plan.ts'
import { comparePositions } from '../store/compare.ts'
import type { Place, StoreReader } from '../store/store.ts'

/** What hooks leave of a list for a caller: what they skip at its start, and how many items at most. */
export interface Bound {
  readonly skip: number
  readonly limit: number
}

export function isBounded({ skip, limit }: Bound): boolean {
  return skip > 0 || limit !== Number.POSITIVE_INFINITY
}

/** How many of so many items there are for the caller. */
export function countWithin({ skip, limit }: Bound, count: number): number {
  return Math.min(limit, Math.max(0, count - skip))
}

/** A plan whose window begins and ends at cursors, and what its items have to lie behind. */
export interface Edged {
  readonly plan: QueryPlan
  readonly isWithin: (place: Place) => boolean
}

/** Keeps cursors within what there is: a client may have one that was made for another list, or make one up. */
export async function withinBound(
  store: StoreReader,
  model: ModelDescription,
  plan: QueryPlan,
  { skip, limit }: Bound,
): Promise<Edged> {
  const compare = comparePositions(plan.sort)
  const at = async (index: number): Promise<Position | undefined> => {
    const { places } = await store.page(model, { ...plan, window: { kind: 'slice', skip: index, limit: 1 } })
    return places[0]?.position
  }
  const skipped = skip === 0 ? undefined : await at(skip - 1)
  const beyond = limit === Number.POSITIVE_INFINITY ? undefined : await at(skip + limit)
  const later = (one: Position, other: Position | undefined) => (other && compare(other, one) > 0 ? other : one)
  const earlier = (one: Position, other: Position | undefined) => (other && compare(other, one) < 0 ? other : one)
  // Where fewer items are there than are skipped, nothing is left behind them.
  const isWithin = ({ position }: Place) => skip === 0 || (skipped !== undefined && compare(position, skipped) > 0)
  return { plan: { ...plan, window: edged(plan.window) }, isWithin }

  function edged(window: Window): Window {
    switch (window.kind) {
      case 'slice':
        return window
      case 'before':
        return { ...window, position: earlier(window.position, beyond) }
      case 'between':
        return { ...window, after: later(window.after, skipped), before: earlier(window.before, beyond) }
      case 'after': {
        const { limit } = window
        const position = later(window.position, skipped)
        return beyond ? { kind: 'between', after: position, before: beyond, limit } : { ...window, position }
      }
    }
  }
}
