import type { ModelDescription } from '../../model/model-description.ts'
import type { StoreTransaction } from '../../store/store.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/**
 * Items that were written in a transaction, and items with hooks that were read in it, by model and
 * id. They are not read again.
 */
export type RememberedItems = Map<ModelDescription, Map<string, StoredItem>>

const itemsOfTransactions = new WeakMap<StoreTransaction, RememberedItems>()

/** Lets {@link latestItem} find the items of the transaction. */
export function rememberItems(transaction: StoreTransaction, items: RememberedItems): void {
  itemsOfTransactions.set(transaction, items)
}

/** The written item as it will be committed: a hook may have changed it once more. */
export function latestItem(
  transaction: StoreTransaction,
  model: ModelDescription,
  writtenItem: StoredItem,
): StoredItem {
  return itemsOfTransactions.get(transaction)?.get(model)?.get(writtenItem.id) ?? writtenItem
}
