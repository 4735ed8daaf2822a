import type { ModelDescription } from '../../model/model-description.ts'
import { positionComparator } from '../../query/compare.ts'
import type { PageRange, Position, QueryPlan, SortKey } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { PageEntry } from '../store.ts'
import type { CallerTimeSlice } from './caller-time-slice.ts'
import { type ItemReader, matcherOf, scalarReader } from './evaluate.ts'
import type { ItemSource } from './item-source.ts'
import type { TableEntry } from './memory-table.ts'
import { mergeSort } from './merge-sort.ts'

/** An item with its place in the list's order. */
export interface PositionedItem extends PageEntry {
  readonly item: StoredItem
}

/** The part of the items that a plan asks for, in its order. */
export async function executePlan(
  model: ModelDescription,
  plan: QueryPlan,
  entries: Iterable<TableEntry>,
  source: ItemSource,
  pauses: CallerTimeSlice,
): Promise<readonly PositionedItem[]> {
  const matches = matcherOf(model, plan.condition)
  const positionOf = positionReader(model, plan.sort)
  const compare = positionComparator(plan.sort)
  const placed: PositionedItem[] = []
  for (const { item, values } of entries) {
    if (matches(values, source))
      placed.push({ id: values.id, item, position: positionOf(values, source) })
    if (pauses.isOver) await pauses.yieldToEventLoop()
  }
  const inOrder = await mergeSort(
    placed,
    (one, other) => compare(one.position, other.position),
    pauses,
  )
  return takePageRange(inOrder, plan.pageRange, compare)
}

function positionReader(model: ModelDescription, sort: readonly SortKey[]): ItemReader<Position> {
  const keys = sort.map((key) => scalarReader(model, key.path))
  return (values, source) => [...keys.map((read) => read(values, source)), values.id]
}

function takePageRange(
  items: readonly PositionedItem[],
  window: PageRange,
  compare: (one: Position, other: Position) => number,
): readonly PositionedItem[] {
  switch (window.kind) {
    case 'slice':
      return items.slice(window.offset, window.offset + window.limit)
    case 'after':
      return items
        .filter((one) => compare(one.position, window.position) > 0)
        .slice(0, window.limit)
    case 'before': {
      const earlier = items.filter((one) => compare(one.position, window.position) < 0)
      return earlier.slice(Math.max(0, earlier.length - window.limit))
    }
    case 'between':
      return items
        .filter(
          (one) =>
            compare(one.position, window.after) > 0 && compare(one.position, window.before) < 0,
        )
        .slice(0, window.limit)
  }
}
