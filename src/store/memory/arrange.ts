import type { ModelDescription } from '../../model/description.ts'
import type { Position, QueryPlan, SortKey, Window } from '../../query/query-plan.ts'
import { comparePositions } from '../compare.ts'
import type { StoredValues } from '../stored-item.ts'
import { matcherOf, type Reading, scalarReader } from './evaluate.ts'
import type { ItemSource } from './item-source.ts'

/** An item with its place in the list's order. */
export interface Placed {
  readonly id: string
  readonly position: Position
}

/** The part of the items that a plan asks for, in its order. */
export function arrange(
  model: ModelDescription,
  plan: QueryPlan,
  items: Iterable<StoredValues>,
  source: ItemSource,
): readonly Placed[] {
  const matches = matcherOf(model, plan.condition)
  const positionOf = positionReader(model, plan.sort)
  const compare = comparePositions(plan.sort)
  const placed: Placed[] = []
  for (const values of items) {
    if (matches(values, source)) placed.push({ id: values.id, position: positionOf(values, source) })
  }
  placed.sort((one, other) => compare(one.position, other.position))
  return windowOf(placed, plan.window, compare)
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
