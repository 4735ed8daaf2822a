import type { Position, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { scalarOfColumn } from '../sql/rows.ts'
import type { PageEntry, RelatedStoredItem } from '../store.ts'
import type { ItemTable } from './item-table.ts'

/** An entry of a page with its item. */
export interface ItemEntry extends PageEntry {
  readonly item: StoredItem
}

/**
 * The entries of rows that begin with an item and the values of sort keys. A position is made when
 * it is read: most pages need only those of the first and the last item, for their links.
 */
export function entriesOf(
  table: ItemTable,
  rows: readonly (readonly unknown[])[],
  { sort }: QueryPlan,
): readonly ItemEntry[] {
  return rows.map((row) => {
    const item = table.itemOf(row)
    return {
      id: item.id,
      item,
      get position() {
        return positionIn(table, row, sort.length, item.id)
      },
    }
  })
}

/** The same for rows that end with the id of an owner. */
export function relatedItemsOf(
  table: ItemTable,
  rows: readonly (readonly unknown[])[],
  { sort }: QueryPlan,
): readonly RelatedStoredItem[] {
  return rows.map((row) => {
    const item = table.itemOf(row)
    const ownerId = String(row.at(-1))
    return { ownerId, item, position: positionIn(table, row, sort.length, item.id) }
  })
}

function positionIn(
  { itemWidth }: ItemTable,
  row: readonly unknown[],
  keyCount: number,
  id: string,
): Position {
  return [...row.slice(itemWidth, itemWidth + keyCount).map(scalarOfColumn), id]
}
