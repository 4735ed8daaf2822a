import type { PageRange, Position, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { ownItems } from '../owned-items.ts'
import { type Row, scalarOfColumn } from '../sql/rows.ts'
import type { ReadableTable } from '../sql/table.ts'
import type { PageEntry, RelatedStoredItem } from '../store-reader.ts'

/** Pages before a position are read backwards from it. Reuses the array of rows. */
export function inPlanOrder({ kind }: PageRange, rows: Row[]): Row[] {
  return kind === 'before' ? rows.reverse() : rows
}

/** The items of the rows, in order. Reuses the array of rows. */
export function listedItemsOf({ listedItemOf }: ReadableTable, rows: Row[]): readonly StoredItem[] {
  const items = rows as unknown[]
  for (const [index, row] of rows.entries()) items[index] = listedItemOf(row)
  return ownItems(items as StoredItem[])
}

/** The position of an item whose row has the values of sort keys from `start` on. */
function positionOf(row: Row, start: number, keyCount: number, id: string): Position {
  return [...row.slice(start, start + keyCount).map(scalarOfColumn), id]
}

/** The position of a row that begins with an item and the values of sort keys. */
export function positionIn(
  { itemWidth, idOf }: Pick<ReadableTable, 'itemWidth'> & { idOf(row: Row): string },
  { sort }: QueryPlan,
  row: Row,
): Position {
  return positionOf(row, itemWidth, sort.length, idOf(row))
}

/**
 * An entry of a page that was read as an id and the values of sort keys. The position is computed
 * on access: most pages need only that of the first and the last item.
 */
export class IdEntry implements PageEntry {
  readonly #row: Row
  readonly #keyCount: number

  constructor(row: Row, keyCount: number) {
    this.#row = row
    this.#keyCount = keyCount
  }

  get id(): string {
    return String(this.#row[0])
  }

  get position(): Position {
    return positionOf(this.#row, 1, this.#keyCount, this.id)
  }
}

/** The same for a row of an item and the values of sort keys. */
export class ItemEntry implements PageEntry {
  readonly item: StoredItem
  readonly #row: Row
  readonly #itemWidth: number
  readonly #keyCount: number

  constructor({ listedItemOf, itemWidth }: ReadableTable, row: Row, keyCount: number) {
    this.item = listedItemOf(row)
    this.#row = row
    this.#itemWidth = itemWidth
    this.#keyCount = keyCount
  }

  get id(): string {
    return this.item.id
  }

  get position(): Position {
    return positionOf(this.#row, this.#itemWidth, this.#keyCount, this.id)
  }
}

/** A related item, whose row ends with the values of sort keys and its owner. */
export class RelatedRow implements RelatedStoredItem {
  readonly item: StoredItem
  readonly ownerId: string
  readonly #row: Row
  readonly #itemWidth: number

  /** @param itemWidth the number of columns before the values of the sort keys */
  constructor(row: Row, item: StoredItem, itemWidth: number) {
    this.item = item
    this.ownerId = String(row.at(-1))
    this.#row = row
    this.#itemWidth = itemWidth
  }

  get position(): Position {
    return positionOf(
      this.#row,
      this.#itemWidth,
      this.#row.length - 1 - this.#itemWidth,
      this.item.id,
    )
  }
}
