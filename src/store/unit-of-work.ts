import type { ModelDescription } from '../model/model-description.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'
import type { InsertOptions, StoreTransaction, WriteOutcome } from './store-transaction.ts'

/**
 * A transaction as operations write in it. What runs around each write, such as hooks, wraps the
 * transaction of a store and overrides these methods; without any, they do what is said here.
 */
export interface UnitOfWork extends StoreTransaction {
  /** Adds an item. Hooks change its values first, so that it is serialized once. */
  insertValues(
    model: ModelDescription,
    values: StoredValues,
    options?: InsertOptions,
  ): Promise<WriteOutcome>
  /** A written item as it will be committed: a hook may have changed it once more. */
  latest(model: ModelDescription, writtenItem: StoredItem): StoredItem
  /** The same unit over another transaction, which passes on to the one below all hooks. */
  over(wrap: (inner: UnitOfWork) => UnitOfWork): UnitOfWork
  /** The same unit for another operation in it. @param source what its hooks get to know */
  forOperation(source: object): UnitOfWork
}
