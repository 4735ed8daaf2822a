import type { ItemsOf } from '../model/items/items.ts'
import type { Store } from '../store/store.ts'
import type { StoreTransaction } from '../store/store-transaction.ts'

/** What work beside requests needs of its router. */
export interface BackgroundServices {
  readonly store: Store
  readonly items: ItemsOf
  /**
   * Runs code of the service in a transaction.
   * @param beforeCommit writes in the same transaction, once the code has ended
   */
  inTransaction(
    work: (items: ItemsOf) => Promise<void>,
    beforeCommit: (transaction: StoreTransaction) => Promise<void>,
  ): Promise<void>
  onError(error: unknown): void
}
