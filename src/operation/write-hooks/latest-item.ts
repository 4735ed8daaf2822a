import type { ModelDescription } from '../../model/model-description.ts'
import type { StoreTransaction } from '../../store/store.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { HookedTransaction } from './hooked-transaction.ts'

/** The written item as it will be committed: a hook may have changed it once more. */
export function latestItem(
  transaction: StoreTransaction,
  model: ModelDescription,
  writtenItem: StoredItem,
): StoredItem {
  return transaction instanceof HookedTransaction
    ? transaction.latest(model, writtenItem)
    : writtenItem
}
