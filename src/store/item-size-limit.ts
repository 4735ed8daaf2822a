import { createApiError } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { idEquals } from '../query/conditions.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { Store, StoreTransaction } from './store.ts'
import { wrapStore, wrapTransaction } from './wrap-store.ts'

/**
 * The store, which takes no item of more than so many bytes, whatever writes it: what lists keep in
 * memory is counted in items. An item that is larger already may change as long as it does not
 * grow, so that what refers to it can still be removed.
 */
export function withItemSizeLimit(store: Store, maxBytes: number): Store {
  return wrapStore(store, {
    write: (work, caller) => store.write((to) => work(limitTransaction(to, maxBytes)), caller),
  })
}

/** @throws ApiError `item-too-large` from what inserts and replaces */
function limitTransaction(transaction: StoreTransaction, maxBytes: number): StoreTransaction {
  return wrapTransaction(transaction, {
    async insert(model, item) {
      const bytes = bytesOf(item, maxBytes)
      if (bytes > maxBytes) throw itemTooLarge(model, item, bytes, maxBytes)
      return transaction.insert(model, item)
    },
    async replace(model, item) {
      const bytes = bytesOf(item, maxBytes)
      if (bytes > maxBytes) {
        const before = await transaction.find(model, idEquals(item.id))
        if (!before || bytes > bytesOf(before, maxBytes))
          throw itemTooLarge(model, item, bytes, maxBytes)
      }
      return transaction.replace(model, item)
    },
  })
}

/** Exactly, where it may be more than allowed. */
function bytesOf({ text, hiddenText }: StoredItem, maxBytes: number): number {
  const most = (text.length + (hiddenText?.length ?? 0)) * 3
  return most <= maxBytes ? most : Buffer.byteLength(text) + Buffer.byteLength(hiddenText ?? '')
}

function itemTooLarge(
  { name }: ModelDescription,
  { id }: StoredItem,
  bytes: number,
  limit: number,
): Error {
  const detail = `The ${name} '${truncate(id, 128)}' would have ${bytes} bytes; expected are at most ${limit}.`
  return createApiError('item-too-large', detail, undefined, { meta: { limit } })
}
