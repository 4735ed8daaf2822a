import type { ItemsOf } from '../../model/items/items.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { ChangeLog } from '../../store/change-log.ts'
import type { Store } from '../../store/store.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'

/** What consumers need of their router. */
export interface ConsumerServices {
  readonly store: Store
  readonly changes: ChangeLog
  /** The models of the router, by name. */
  readonly models: ReadonlyMap<string, ModelDescription>
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
