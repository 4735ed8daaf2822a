import { hasSameContent } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { ItemTable } from './item-table.ts'

/** One item, as it is given to the database. */
export interface ItemWrite {
  readonly statements: readonly Statement[]
  readonly item: StoredItem
  /** In the column of versions, if the table has one. */
  readonly version: string
}

/** Which writes can be logged in their own round trip, because it is known what they store. */
export class LoggedWrites {
  /** Their database has changed what was written: it would refuse such writes again. */
  readonly #changing = new WeakSet<ItemTable>()

  /** What the write stores, unless its database changes it; undefined if nobody knows. */
  storedItem(table: ItemTable, { item, version }: ItemWrite): StoredItem | undefined {
    return this.#changing.has(table) ? undefined : table.writtenForm?.itemOf(item, version)
  }

  /** Learns from a write that has read what it stored. */
  compare(table: ItemTable, write: ItemWrite, stored: StoredItem): void {
    const predicted = this.storedItem(table, write)
    if (predicted && !hasSameContent(predicted, stored)) this.#changing.add(table)
  }
}
