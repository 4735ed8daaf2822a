import type { ModelDescription } from '../../model/model-description.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import type { BeginObserver, ItemChange, WriteObserver } from '../../store/write-observer.ts'
import { itemKey } from '../../stored-item/item-key.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/** The items that a transaction has written. */
export interface WrittenItems {
  /** The item as it was stored last; undefined if the transaction has not written it. */
  get(model: ModelDescription, id: string): StoredItem | undefined
}

/** What is written into the record of a request, by its transaction. */
export interface RecordedResult<Result> {
  readonly key: string
  readonly client: string
  readonly times: { readonly nowMs: number; readonly expiresAtMs: number }
  /** @param reader reads within the transaction */
  toText(result: Result, written: WrittenItems, reader: StoreReader): Promise<string>
}

/** Writes the record of a request in the transaction of its work. */
export function transactionRecorder<Result>(recorded: RecordedResult<Result>): BeginObserver {
  return () => new TransactionRecorder(recorded)
}

class TransactionRecorder<Result> implements WriteObserver {
  readonly #recorded: RecordedResult<Result>
  readonly #items = new Map<string, StoredItem>()

  constructor(recorded: RecordedResult<Result>) {
    this.#recorded = recorded
  }

  async begin({ requestRecords }: StoreTransaction): Promise<void> {
    const { key, client, times } = this.#recorded
    const earlier = await requestRecords!.reserve(key, client, times)
    if (earlier !== undefined) throw new AlreadyDone(earlier)
  }

  /** Notes each item as it is stored. */
  written(_: StoreTransaction, { kind, model, id, after }: ItemChange): void {
    if (kind === 'delete') this.#items.delete(itemKey(model, id))
    else this.#items.set(itemKey(model, id), after)
  }

  isFollowed(): boolean {
    return true
  }

  async beforeCommit(transaction: StoreTransaction, result: unknown): Promise<void> {
    const { key, toText } = this.#recorded
    const records = transaction.requestRecords!
    const written: WrittenItems = { get: (model, id) => this.#items.get(itemKey(model, id)) }
    // An action that has to be called again returns nothing, and has written nothing.
    if (result === undefined) await records.release(key)
    else await records.write(key, await toText(result as Result, written, transaction))
  }
}

/** Ends a transaction whose request was done by another transaction. */
export class AlreadyDone extends Error {
  override readonly name = 'AlreadyDone'
  readonly record: string

  constructor(record: string) {
    super('A request with the same Idempotency-Key has been done.')
    this.record = record
  }
}
