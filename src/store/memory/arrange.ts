import type { ModelDescription } from '../../model/description.ts'
import type { Position, QueryPlan, SortKey, Window } from '../../query/query-plan.ts'
import { comparePositions } from '../compare.ts'
import type { Place } from '../store.ts'
import type { StoredItem } from '../stored-item.ts'
import { matcherOf, type Reading, scalarReader } from './evaluate.ts'
import type { ItemSource } from './item-source.ts'
import type { Pauses } from './pauses.ts'
import { sorted } from './sorted.ts'
import type { Entry } from './table.ts'

/** An item with its place in the list's order. */
export interface Placed extends Place {
  readonly item: StoredItem
}

/** The part of the items that a plan asks for, in its order. */
export async function arrange(
  model: ModelDescription,
  plan: QueryPlan,
  entries: Iterable<Entry>,
  source: ItemSource,
  pauses: Pauses,
): Promise<readonly Placed[]> {
  const matches = matcherOf(model, plan.condition)
  const positionOf = positionReader(model, plan.sort)
  const compare = comparePositions(plan.sort)
  const placed: Placed[] = []
  for (const { item, values } of entries) {
    if (matches(values, source)) placed.push({ id: values.id, item, position: positionOf(values, source) })
    if (pauses.isDue) await pauses.pause()
  }
  const inOrder = await sorted(placed, (one, other) => compare(one.position, other.position), pauses)
  return windowOf(inOrder, plan.window, compare)
}

function positionReader(model: ModelDescription, sort: readonly SortKey[]): Reading<Position> {
  const keys = sort.map((key) => scalarReader(model, key.path))
  return (values, source) => [...keys.map((read) => read(values, source)), values.id]
}

function windowOf(
  items: readonly Placed[],
  window: Window,
  compare: (one: Position, other: Position) => number,
): readonly Placed[] {
  switch (window.kind) {
    case 'slice':
      return items.slice(window.skip, window.skip + window.limit)
    case 'after':
      return items.filter((one) => compare(one.position, window.position) > 0).slice(0, window.limit)
    case 'before': {
      const earlier = items.filter((one) => compare(one.position, window.position) < 0)
      return earlier.slice(Math.max(0, earlier.length - window.limit))
    }
    case 'between':
      return items
        .filter((one) => compare(one.position, window.after) > 0 && compare(one.position, window.before) < 0)
        .slice(0, window.limit)
  }
}
