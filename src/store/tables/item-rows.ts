import type { Position, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { scalarOfColumn } from '../sql/rows.ts'
import type { PageEntry, RelatedStoredItem } from '../store-reader.ts'
import type { ItemTable } from './item-table.ts'

/**
 * An entry of a page with its item. The position is made when it is read: most pages need only that
 * of the first and the last item, for their links.
 */
export class ItemEntry implements PageEntry {
  readonly item: StoredItem
  readonly #row: readonly unknown[]
  readonly #keys: SortKeyColumns

  constructor(item: StoredItem, row: readonly unknown[], keys: SortKeyColumns) {
    this.item = item
    this.#row = row
    this.#keys = keys
  }

  get id(): string {
    return this.item.id
  }

  get position(): Position {
    return positionOf(this.#row, this.#keys, this.id)
  }
}

/** Where the values of sort keys stand in a row. */
interface SortKeyColumns {
  readonly start: number
  readonly end: number
}

/** The entries of rows that begin with an item and the values of sort keys. */
export function entriesOf(
  table: ItemTable,
  rows: readonly (readonly unknown[])[],
  plan: QueryPlan,
): readonly ItemEntry[] {
  const keys = sortKeyColumns(table, plan)
  return rows.map((row) => new ItemEntry(table.itemOf(row), row, keys))
}

/** The same for rows that end with the id of an owner. */
export function relatedItemsOf(
  table: ItemTable,
  rows: readonly (readonly unknown[])[],
  plan: QueryPlan,
): readonly RelatedStoredItem[] {
  const keys = sortKeyColumns(table, plan)
  return rows.map((row) => {
    const item = table.itemOf(row)
    const ownerId = String(row.at(-1))
    return { ownerId, item, position: positionOf(row, keys, item.id) }
  })
}

/** The position of a row that begins with an item and the values of sort keys. */
export function positionIn(table: ItemTable, plan: QueryPlan, row: readonly unknown[]): Position {
  return positionOf(row, sortKeyColumns(table, plan), table.idOf(row))
}

function sortKeyColumns({ itemWidth }: ItemTable, { sort }: QueryPlan): SortKeyColumns {
  return { start: itemWidth, end: itemWidth + sort.length }
}

function positionOf(row: readonly unknown[], { start, end }: SortKeyColumns, id: string): Position {
  return [...row.slice(start, end).map(scalarOfColumn), id]
}
