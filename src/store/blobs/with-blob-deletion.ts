import type { ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { Store, StoreTransaction } from '../store.ts'
import { wrapStore, wrapTransaction } from '../wrap-store.ts'
import type { SharedBlobs } from './shared-blobs.ts'
import { removeVariants } from './variant-table.ts'

/**
 * The store, which lets go of the blobs of items that are removed, and of those that items no
 * longer hold, whatever wrote them, and of their variants: once the transaction is kept, and not if
 * it is undone.
 */
export function withBlobDeletion(
  store: Store,
  blobs: SharedBlobs,
  hasVariants: () => boolean,
): Store {
  return wrapStore(store, {
    async write(work, caller) {
      let dropped: string[] = []
      const result = await store.write(async (transaction) => {
        // A work that is run again begins anew.
        dropped = []
        const done = await work(trackUnreferencedBlobs(transaction, dropped))
        if (dropped.length > 0 && hasVariants())
          dropped = dropped.concat(await removeVariants(transaction, dropped))
        return done
      }, caller)
      if (dropped.length > 0) await blobs.deleteUnreferenced(dropped)
      return result
    },
  })
}

function trackUnreferencedBlobs(
  transaction: StoreTransaction,
  dropped: string[],
): StoreTransaction {
  /** Of each item the keys alone: a request can change more items than anybody should hold. */
  const known = new Map<ModelDescription, Map<string, readonly string[]>>()
  const holdsBlobs = ({ resourcePaths }: ModelDescription) => resourcePaths.length > 0
  const remember = (model: ModelDescription, id: string, keys: readonly string[]): void => {
    const items = known.get(model) ?? new Map()
    known.set(model, items.set(id, keys))
  }
  const before = async (model: ModelDescription, id: string): Promise<readonly string[]> =>
    known.get(model)?.get(id) ?? blobKeysIn(await transaction.find(model, idEquals(id)))
  const letGo = (
    model: ModelDescription,
    id: string,
    keys: readonly string[],
    after: readonly string[],
  ): void => {
    const kept = new Set(after)
    for (const key of keys) if (!kept.has(key)) dropped.push(key)
    remember(model, id, after)
  }
  return wrapTransaction(transaction, {
    async find(model, condition) {
      const item = await transaction.find(model, condition)
      // Most items are found before they are written: that saves another look.
      if (item && holdsBlobs(model)) remember(model, item.id, blobKeysIn(item))
      return item
    },
    async replace(model, item) {
      if (!holdsBlobs(model)) return transaction.replace(model, item)
      const replaced = await before(model, item.id)
      const outcome = await transaction.replace(model, item)
      if (outcome.kind === 'written') letGo(model, item.id, replaced, blobKeysIn(item))
      return outcome
    },
    async remove(model, id) {
      if (holdsBlobs(model)) letGo(model, id, await before(model, id), noKeys)
      await transaction.remove(model, id)
    },
  })
}

const noKeys: readonly string[] = Object.freeze([])

/** The keys of the blobs that an item holds. */
function blobKeysIn(item: StoredItem | undefined): readonly string[] {
  const keys = item ? Object.values(blobKeysOf(item)) : noKeys
  return keys.length === 0 ? noKeys : keys
}
