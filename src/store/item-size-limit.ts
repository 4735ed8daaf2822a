import { refusalsOf } from '../error/refusals.ts'
import { truncate } from '../error/truncate.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { idEquals } from '../query/conditions.ts'
import { linkageOf } from '../stored-item/linkage.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { Store } from './store.ts'
import type {
  InsertOptions,
  StoreTransaction,
  WriteOptions,
  WriteOutcome,
} from './store-transaction.ts'
import { TransactionWrapper, wrapStore } from './wrap-store.ts'

export const itemSizeErrors = ['item-too-large'] as const

const { createApiError } = refusalsOf(itemSizeErrors)

/**
 * Wraps a store so that it refuses items of more than `maxBytes`, because lists limit their memory
 * by the number of items. An item that is already larger may change as long as it does not grow, so
 * that relations to other items can always be removed from it.
 */
export function withItemSizeLimit(store: Store, maxBytes: number): Store {
  return wrapStore(store, {
    write: (work, call) =>
      store.write((transaction) => work(new SizeLimitedTransaction(transaction, maxBytes)), call),
  })
}

/** @throws ApiError `item-too-large` from `insert` and `replace` */
class SizeLimitedTransaction extends TransactionWrapper {
  readonly #maxBytes: number

  constructor(inner: StoreTransaction, maxBytes: number) {
    super(inner)
    this.#maxBytes = maxBytes
  }

  override insert(
    model: ModelDescription,
    item: StoredItem,
    options?: InsertOptions,
  ): Promise<WriteOutcome> {
    const bytes = bytesOf(item, this.#maxBytes)
    return bytes > this.#maxBytes
      ? Promise.reject(itemTooLarge(model, item, bytes, this.#maxBytes))
      : this.inner.insert(model, item, options)
  }

  override async replace(
    model: ModelDescription,
    item: StoredItem,
    options?: WriteOptions,
  ): Promise<WriteOutcome> {
    const bytes = bytesOf(item, this.#maxBytes)
    if (bytes > this.#maxBytes) {
      const before = await this.inner.find(model, idEquals(item.id))
      const growth = before ? bytes - bytesOf(before, this.#maxBytes) : bytes
      if (!before || growth > countCleared(model, before, item))
        throw itemTooLarge(model, item, bytes, this.#maxBytes)
    }
    return this.inner.replace(model, item, options)
  }
}

/** How many to-one relations a change clears: null is a byte longer than an id of one letter. */
function countCleared(model: ModelDescription, before: StoredItem, after: StoredItem): number {
  const [linkageBefore, linkageAfter] = [linkageOf(before), linkageOf(after)]
  return model.ownedRelations.filter(
    ({ wireName }) => linkageAfter[wireName] === null && linkageBefore[wireName] !== null,
  ).length
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
