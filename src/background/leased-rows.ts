import type { ModelDescription } from '../model/model-description.ts'
import { idEquals } from '../query/conditions.ts'
import { allItemsPlan } from '../query/query-plan.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { StoreTransaction } from '../store/store-transaction.ts'
import { createStoredItem, readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'

/** What a row has that a lease is about, besides what its owners keep in it. */
export interface LeasedRow {
  /** Which process holds it, and since when; empty if none does. */
  readonly owner: string
  /** Counts the writes of its owners. Others take over when it stands still. */
  readonly beat: number
}

/** The host and the id of the process that holds a row; undefined if none does. */
export function processOf({ owner }: LeasedRow): string | undefined {
  return owner === '' ? undefined : owner.split(' ').slice(0, 2).join(' ')
}

/** The rows of an internal model that processes hold by leases. The id of a row is its name. */
export class LeasedRows<Row extends LeasedRow> {
  readonly model: ModelDescription
  readonly #kind: string

  /** @param kind what the rows are about, in messages: `consumer` */
  constructor(model: ModelDescription, kind: string) {
    this.model = model
    this.#kind = kind
  }

  /** A row in messages: `the consumer 'mailer'`. */
  inWords(name: string): string {
    return `the ${this.#kind} '${name}'`
  }

  async find(reader: StoreReader, name: string): Promise<Row | undefined> {
    const item = await reader.find(this.model, idEquals(name))
    return item && this.#rowOf(item)
  }

  /** @throws Error if the row has been removed */
  async get(reader: StoreReader, name: string): Promise<Row> {
    const row = await this.find(reader, name)
    if (row) return row
    throw new Error(`The record of ${this.inWords(name)} has been removed.`)
  }

  /** All rows, by name. */
  async list(reader: StoreReader): Promise<ReadonlyMap<string, Row>> {
    const rows = new Map<string, Row>()
    for await (const batch of reader.list(this.model, allItemsPlan))
      for (const item of batch) rows.set(item.id, this.#rowOf(item))
    return rows
  }

  /** Stores a new row, unless another process has. */
  async insert(transaction: StoreTransaction, name: string, row: Row): Promise<void> {
    await transaction.insert(this.model, this.#itemOf(name, row, 1))
  }

  /**
   * Changes a row. Two transactions that do so wait for one another.
   * @param change returns undefined to leave it as it is
   * @returns the row as it is then; undefined if there is none
   */
  async change(
    transaction: StoreTransaction,
    name: string,
    change: (row: Row) => Row | undefined,
  ): Promise<Row | undefined> {
    await transaction.locks?.lockForWrite(() => [{ model: this.model, ids: [name] }])
    const item = await transaction.find(this.model, idEquals(name))
    if (!item) return undefined
    const row = this.#rowOf(item)
    const changed = change(row)
    if (!changed) return row
    const outcome = await transaction.replace(
      this.model,
      this.#itemOf(name, changed, item.revision + 1),
    )
    if (outcome.kind !== 'written')
      throw new Error(`The record of ${this.inWords(name)} cannot be stored: ${outcome.kind}.`)
    return changed
  }

  #itemOf(name: string, row: Row, revision: number): StoredItem {
    const values: StoredValues = { id: name, ...(row as object) }
    return createStoredItem(this.model, values, revision)
  }

  #rowOf(item: StoredItem): Row {
    const { id: _, ...row } = readStoredValues(this.model, item)
    return row as unknown as Row
  }
}
