import type { Position } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { scalarOfColumn } from '../sql/rows.ts'
import type { PageEntry, RelatedStoredItem } from '../store.ts'
import type { ItemTable } from './item-table.ts'

/** An entry of a page with its item. */
export interface ItemEntry extends PageEntry {
  readonly item: StoredItem
}

/** The entries of rows that hold an item and the values of sort keys. */
export function entriesOf(
  table: ItemTable,
  rows: readonly (readonly unknown[])[],
): readonly ItemEntry[] {
  return rows.map((row) => {
    const item = table.itemOf(row)
    return { id: item.id, item, position: positionIn(table, row, item.id) }
  })
}

/** The same for rows that end with the id of an owner. */
export function relatedItemsOf(
  table: ItemTable,
  rows: readonly (readonly unknown[])[],
): readonly RelatedStoredItem[] {
  return rows.map((row) => {
    const item = table.itemOf(row)
    const ownerId = String(row.at(-1))
    return { ownerId, item, position: positionIn(table, row.slice(0, -1), item.id) }
  })
}

function positionIn(table: ItemTable, row: readonly unknown[], id: string): Position {
  return [...row.slice(table.itemWidth).map(scalarOfColumn), id]
}
