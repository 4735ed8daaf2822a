import { refusalsOf } from '../error/refusals.ts'
import { truncate } from '../error/truncate.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { idEquals } from '../query/conditions.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { Store, StoreTransaction } from './store.ts'
import { wrapStore, wrapTransaction } from './wrap-store.ts'

export const itemSizeErrors = ['item-too-large'] as const

const { createApiError } = refusalsOf(itemSizeErrors)

/**
 * Wraps a store so that it refuses items of more than `maxBytes`, because lists limit their memory by
 * the number of items. An item that is already larger may change as long as it does not grow, so
 * that relations to other items can still be removed from it.
 */
export function withItemSizeLimit(store: Store, maxBytes: number): Store {
  return wrapStore(store, {
    write: (work, caller) =>
      store.write((transaction) => work(limitTransaction(transaction, maxBytes)), caller),
  })
}

/** @throws ApiError `item-too-large` from `insert` and `replace` */
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

/** An upper bound if that is within the limit, else the exact number of bytes. */
function bytesOf({ text, hiddenText }: StoredItem, maxBytes: number): number {
  const upperBound = (text.length + (hiddenText?.length ?? 0)) * 3
  return upperBound <= maxBytes
    ? upperBound
    : Buffer.byteLength(text) + Buffer.byteLength(hiddenText ?? '')
}

function itemTooLarge(
  { name }: ModelDescription,
  { id }: StoredItem,
  bytes: number,
  limit: number,
): Error {
  const detail = `The ${name} '${truncate(id, 128)}' would have ${bytes} bytes; expected at most ${limit}.`
  return createApiError('item-too-large', detail, undefined, { meta: { limit } })
}
