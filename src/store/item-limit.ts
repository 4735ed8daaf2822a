import { refusal } from '../error/api-error.ts'
import { shortened } from '../error/shortened.ts'
import type { ModelDescription } from '../model/description.ts'
import { hasId } from '../query/conditions.ts'
import { storeWith, transactionWith } from './forward.ts'
import type { Store, StoreTransaction } from './store.ts'
import type { StoredItem } from './stored-item.ts'

/**
 * The store, which takes no item of more than so many bytes, whatever writes it: what lists keep in memory is counted in items. An item that is larger
 * already may change as long as it does not grow, so that what refers to it can still be removed.
 */
export function withItemLimit(store: Store, maxBytes: number): Store {
  return storeWith(store, { write: (work, caller) => store.write((to) => work(limited(to, maxBytes)), caller) })
}

/** @throws ApiError `item-too-large` from what inserts and replaces */
function limited(transaction: StoreTransaction, maxBytes: number): StoreTransaction {
  return transactionWith(transaction, {
    async insert(model, item) {
      const bytes = bytesOf(item, maxBytes)
      if (bytes > maxBytes) throw tooLarge(model, item, bytes, maxBytes)
      return transaction.insert(model, item)
    },
    async replace(model, item) {
      const bytes = bytesOf(item, maxBytes)
      if (bytes > maxBytes) {
        const before = await transaction.find(model, hasId(item.id))
        if (!before || bytes > bytesOf(before, maxBytes)) throw tooLarge(model, item, bytes, maxBytes)
      }
      return transaction.replace(model, item)
    },
  })
}

/** Exactly, where it may be more than allowed. */
function bytesOf({ text, hidden }: StoredItem, maxBytes: number): number {
  const most = (text.length + (hidden?.length ?? 0)) * 3
  return most <= maxBytes ? most : Buffer.byteLength(text) + Buffer.byteLength(hidden ?? '')
}

function tooLarge({ name }: ModelDescription, { id }: StoredItem, bytes: number, limit: number): Error {
  const detail = `The ${name} '${shortened(id, 128)}' would have ${bytes} bytes; expected are at most ${limit}.`
  return refusal('item-too-large', detail, undefined, { meta: { limit } })
}
