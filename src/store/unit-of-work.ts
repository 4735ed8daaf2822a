import type { ModelDescription } from '../model/model-description.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'
import type { InsertOptions, StoreTransaction, WriteOutcome } from './store-transaction.ts'

/**
 * A transaction as operations use it. A wrapper that runs code around writes, such as hooks,
 * overrides these methods.
 */
export interface UnitOfWork extends StoreTransaction {
  /** Adds an item. It is serialized once, after hooks have changed its values. */
  insertValues(
    model: ModelDescription,
    values: StoredValues,
    options?: InsertOptions,
  ): Promise<WriteOutcome>
  /** The written item as it will be committed: a hook may have changed it once more. */
  latest(model: ModelDescription, writtenItem: StoredItem): StoredItem
  /** The same hooks around another transaction, which `wrap` makes of the one below them. */
  over(wrap: (inner: UnitOfWork) => UnitOfWork): UnitOfWork
  /**
   * The same transaction for another operation.
   * @param source what hooks around writes of the operation get
   */
  forOperation(source: object): UnitOfWork
}
