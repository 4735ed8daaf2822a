import type { ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Store } from '../store.ts'
import type { StoreTransaction, WriteOptions } from '../store-transaction.ts'
import { TransactionWrapper, wrapStore } from '../wrap-store.ts'
import type { SharedBlobs } from './shared-blobs.ts'
import { removeVariants } from './variant-table.ts'

/**
 * Wraps a store so that it deletes blobs which no item refers to any more, and their variants,
 * after the transaction is committed.
 */
export function withBlobDeletion(
  store: Store,
  blobs: SharedBlobs,
  hasVariants: () => boolean,
): Store {
  return wrapStore(store, {
    async write(work, call) {
      let unreferenced: string[] = []
      const result = await store.write(async (transaction) => {
        // The store may call this function again.
        unreferenced = []
        const value = await work(new BlobTrackingTransaction(transaction, unreferenced))
        if (unreferenced.length > 0 && hasVariants())
          unreferenced = unreferenced.concat(await removeVariants(transaction, unreferenced))
        return value
      }, call)
      if (unreferenced.length > 0) await blobs.deleteUnreferenced(unreferenced)
      return result
    },
  })
}

/** Adds the keys of blobs to `unreferenced` when items stop referring to them. */
class BlobTrackingTransaction extends TransactionWrapper {
  readonly #unreferenced: string[]
  /** Holds the keys alone: a request can change more items than fit in memory. */
  readonly #keysByItem = new Map<ModelDescription, Map<string, readonly string[]>>()

  constructor(inner: StoreTransaction, unreferenced: string[]) {
    super(inner)
    this.#unreferenced = unreferenced
  }

  override async find(model: ModelDescription, condition: Condition) {
    const item = await this.inner.find(model, condition)
    // Most items are read before they are written, so this saves another read.
    if (item && hasBlobs(model)) this.#remember(model, item.id, blobKeysIn(item))
    return item
  }

  override async replace(model: ModelDescription, item: StoredItem, options?: WriteOptions) {
    if (!hasBlobs(model)) return this.inner.replace(model, item, options)
    const before = await this.#keysBefore(model, item.id)
    const keysInItem = blobKeysIn(item)
    // The variants of blobs that leave it are removed in the same transaction.
    const isLast = options?.isLast === true && before.every((key) => keysInItem.includes(key))
    const outcome = await this.inner.replace(model, item, { ...options, isLast })
    // The store keeps blobs of resources that the model does not declare any more.
    if (outcome.kind === 'written')
      this.#addUnreferenced(model, item.id, before, blobKeysIn(outcome.item))
    return outcome
  }

  override async remove(model: ModelDescription, id: string) {
    if (hasBlobs(model)) this.#addUnreferenced(model, id, await this.#keysBefore(model, id), noKeys)
    await this.inner.remove(model, id)
  }

  async #keysBefore(model: ModelDescription, id: string): Promise<readonly string[]> {
    return (
      this.#keysByItem.get(model)?.get(id) ?? blobKeysIn(await this.inner.find(model, idEquals(id)))
    )
  }

  #addUnreferenced(
    model: ModelDescription,
    id: string,
    before: readonly string[],
    after: readonly string[],
  ): void {
    const stillUsed = new Set(after)
    for (const key of before) if (!stillUsed.has(key)) this.#unreferenced.push(key)
    this.#remember(model, id, after)
  }

  #remember(model: ModelDescription, id: string, keys: readonly string[]): void {
    const keysById = this.#keysByItem.get(model) ?? new Map<string, readonly string[]>()
    this.#keysByItem.set(model, keysById.set(id, keys))
  }
}

function hasBlobs({ resourcePaths }: ModelDescription): boolean {
  return resourcePaths.length > 0
}

const noKeys: readonly string[] = Object.freeze([])

function blobKeysIn(item: StoredItem | undefined): readonly string[] {
  const keys = item ? Object.values(blobKeysOf(item)) : noKeys
  return keys.length === 0 ? noKeys : keys
}
