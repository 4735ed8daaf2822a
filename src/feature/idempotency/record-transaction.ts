import type { ModelDescription } from '../../model/model-description.ts'
import type { TransactionRecorder } from '../../store/store-for-caller.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type {
  InsertOptions,
  StoreTransaction,
  WriteOptions,
  WriteOutcome,
} from '../../store/store-transaction.ts'
import { TransactionWrapper, UnfinishedTransaction } from '../../store/wrap-store.ts'
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
export function transactionRecorder<Result>({
  key,
  client,
  times,
  toText,
}: RecordedResult<Result>): TransactionRecorder {
  return {
    record: async <T>(
      transaction: StoreTransaction,
      work: (transaction: StoreTransaction) => Promise<T>,
    ): Promise<T> => {
      const records = transaction.requestRecords!
      const earlier = await records.reserve(key, client, times)
      if (earlier !== undefined) throw new AlreadyDone(earlier)
      const observed = new ObservedTransaction(transaction)
      const result = await work(new UnfinishedTransaction(observed))
      // An action that has to be called again returns nothing, and has written nothing.
      if (result === undefined) await records.release(key)
      else await records.write(key, await toText(result as never, observed.written, transaction))
      return result
    },
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

/** Notes each item as it is stored. */
class ObservedTransaction extends TransactionWrapper {
  readonly #items = new Map<string, StoredItem>()

  get written(): WrittenItems {
    return { get: (model, id) => this.#items.get(itemKey(model, id)) }
  }

  override async insert(
    model: ModelDescription,
    item: StoredItem,
    options?: InsertOptions,
  ): Promise<WriteOutcome> {
    return this.#noted(model, await this.inner.insert(model, item, options))
  }

  override async replace(
    model: ModelDescription,
    item: StoredItem,
    options?: WriteOptions,
  ): Promise<WriteOutcome> {
    return this.#noted(model, await this.inner.replace(model, item, options))
  }

  override async remove(model: ModelDescription, id: string): Promise<void> {
    await this.inner.remove(model, id)
    this.#items.delete(itemKey(model, id))
  }

  #noted(model: ModelDescription, outcome: WriteOutcome): WriteOutcome {
    if (outcome.kind === 'written') this.#items.set(itemKey(model, outcome.item.id), outcome.item)
    return outcome
  }
}
