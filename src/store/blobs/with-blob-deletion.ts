import type { ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Store, StoreTransaction } from '../store.ts'
import { wrapStore, wrapTransaction } from '../wrap-store.ts'
import type { SharedBlobs } from './shared-blobs.ts'
import { removeVariants } from './variant-table.ts'

/**
 * Wraps a store so that it deletes blobs which no item refers to any more, and their variants, after
 * the transaction is committed.
 */
export function withBlobDeletion(
  store: Store,
  blobs: SharedBlobs,
  hasVariants: () => boolean,
): Store {
  return wrapStore(store, {
    async write(work, caller) {
      let unreferenced: string[] = []
      const result = await store.write(async (transaction) => {
        // The store may call this function again.
        unreferenced = []
        const value = await work(trackUnreferencedBlobs(transaction, unreferenced))
        if (unreferenced.length > 0 && hasVariants())
          unreferenced = unreferenced.concat(await removeVariants(transaction, unreferenced))
        return value
      }, caller)
      if (unreferenced.length > 0) await blobs.deleteUnreferenced(unreferenced)
      return result
    },
  })
}

/** Adds the keys of blobs to `unreferenced` when items stop referring to them. */
function trackUnreferencedBlobs(
  transaction: StoreTransaction,
  unreferenced: string[],
): StoreTransaction {
  /** Holds the keys alone: a request can change more items than fit in memory. */
  const keysByItem = new Map<ModelDescription, Map<string, readonly string[]>>()
  const hasBlobs = ({ resourcePaths }: ModelDescription) => resourcePaths.length > 0
  const remember = (model: ModelDescription, id: string, keys: readonly string[]): void => {
    const keysById = keysByItem.get(model) ?? new Map()
    keysByItem.set(model, keysById.set(id, keys))
  }
  const keysBefore = async (model: ModelDescription, id: string): Promise<readonly string[]> =>
    keysByItem.get(model)?.get(id) ?? blobKeysIn(await transaction.find(model, idEquals(id)))
  const addUnreferenced = (
    model: ModelDescription,
    id: string,
    before: readonly string[],
    after: readonly string[],
  ): void => {
    const stillUsed = new Set(after)
    for (const key of before) if (!stillUsed.has(key)) unreferenced.push(key)
    remember(model, id, after)
  }
  return wrapTransaction(transaction, {
    async find(model, condition) {
      const item = await transaction.find(model, condition)
      // Most items are read before they are written, so this saves another read.
      if (item && hasBlobs(model)) remember(model, item.id, blobKeysIn(item))
      return item
    },
    async replace(model, item) {
      if (!hasBlobs(model)) return transaction.replace(model, item)
      const before = await keysBefore(model, item.id)
      const outcome = await transaction.replace(model, item)
      if (outcome.kind === 'written') addUnreferenced(model, item.id, before, blobKeysIn(item))
      return outcome
    },
    async remove(model, id) {
      if (hasBlobs(model)) addUnreferenced(model, id, await keysBefore(model, id), noKeys)
      await transaction.remove(model, id)
    },
  })
}

const noKeys: readonly string[] = Object.freeze([])

function blobKeysIn(item: StoredItem | undefined): readonly string[] {
  const keys = item ? Object.values(blobKeysOf(item)) : noKeys
  return keys.length === 0 ? noKeys : keys
}
