import type { ModelDescription } from '../../model/model-description.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import { TransactionWrapper } from '../../store/wrap-store.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/**
 * Items that were written in a transaction, and items with hooks that were read in it, by model and
 * id. They are not read again.
 */
export type RememberedItems = Map<ModelDescription, Map<string, StoredItem>>

/**
 * A transaction that remembers items. In a member, because a WeakMap with an entry for each request
 * takes the garbage collector longer than the hooks themselves.
 */
export class RememberingTransaction extends TransactionWrapper {
  readonly items: RememberedItems

  constructor(inner: StoreTransaction, items: RememberedItems) {
    super(inner)
    this.items = items
  }
}

/** The written item as it will be committed: a hook may have changed it once more. */
export function latestItem(
  transaction: StoreTransaction,
  model: ModelDescription,
  writtenItem: StoredItem,
): StoredItem {
  if (!(transaction instanceof RememberingTransaction)) return writtenItem
  return transaction.items.get(model)?.get(writtenItem.id) ?? writtenItem
}
