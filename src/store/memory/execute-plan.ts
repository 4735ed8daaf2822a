import type { TimeSlice } from '../../concurrency/time-slice.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { positionComparator } from '../../query/compare.ts'
import type { PageRange, Position, QueryPlan, SortKey } from '../../query/query-plan.ts'
import { isRelevance } from '../../query/sort-keys.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import {
  type ItemReader,
  matcherOf,
  relevanceReader,
  scalarReader,
} from '../evaluation/evaluate.ts'
import type { ItemSource } from '../evaluation/item-source.ts'
import type { PageEntry } from '../store-reader.ts'
import type { TableEntry } from './memory-table.ts'
import { mergeSort } from './merge-sort.ts'

/** An item with its position in the list. */
export interface PositionedItem extends PageEntry {
  readonly item: StoredItem
}

/**
 * The items that a plan asks for, in its order.
 *
 * ```ts
 * const items = await executePlan(book, allItemsPlan, entries, source, new TimeSlice({ signal }))
 * ```
 *
 * @throws TypeError if the model does not have a path of the plan, and the reason of the signal
 * that the slice has
 */
export async function executePlan(
  model: ModelDescription,
  plan: QueryPlan,
  entries: Iterable<TableEntry>,
  source: ItemSource,
  slice: TimeSlice,
): Promise<readonly PositionedItem[]> {
  const matches = matcherOf(model, plan.condition)
  const positionOf = positionReader(model, plan.sort)
  const compare = positionComparator(plan.sort)
  const matching: PositionedItem[] = []
  for (const { item, values } of entries) {
    if (matches(values, source))
      matching.push({ id: values.id, item, position: positionOf(values, source) })
    if (slice.isOver) await slice.yieldToEventLoop()
  }
  const sorted = await mergeSort(
    matching,
    (one, other) => compare(one.position, other.position),
    slice,
  )
  return takePageRange(sorted, plan.pageRange, compare)
}

function positionReader(model: ModelDescription, sort: readonly SortKey[]): ItemReader<Position> {
  const keys = sort.map((key) =>
    isRelevance(key) ? relevanceReader(model, key.search) : scalarReader(model, key.path),
  )
  return (values, source) => [...keys.map((read) => read(values, source)), values.id]
}

function takePageRange(
  items: readonly PositionedItem[],
  pageRange: PageRange,
  compare: (one: Position, other: Position) => number,
): readonly PositionedItem[] {
  switch (pageRange.kind) {
    case 'offset':
      return items.slice(pageRange.offset, pageRange.offset + pageRange.limit)
    case 'after':
      return items
        .filter(({ position }) => compare(position, pageRange.position) > 0)
        .slice(0, pageRange.limit)
    case 'before': {
      const earlier = items.filter(({ position }) => compare(position, pageRange.position) < 0)
      return earlier.slice(Math.max(0, earlier.length - pageRange.limit))
    }
    case 'between':
      return items
        .filter(
          ({ position }) =>
            compare(position, pageRange.after) > 0 && compare(position, pageRange.before) < 0,
        )
        .slice(0, pageRange.limit)
  }
}
