import type { ModelDescription } from '../model/description.ts'
import { hasId } from '../query/conditions.ts'
import { storeWith, transactionWith } from './forward.ts'
import { blobKeysOf } from './item-resources.ts'
import type { SharedBlobs } from './shared-blobs.ts'
import type { Store, StoreTransaction } from './store.ts'
import type { StoredItem } from './stored-item.ts'
import { forgetVariants } from './variant-table.ts'

/**
 * The store, which lets go of the blobs of items that are removed, and of those that items no longer hold, whatever wrote them, and of
 * their variants: once the transaction is kept, and not if it is undone.
 */
export function withItemBlobs(store: Store, blobs: SharedBlobs, hasVariants: () => boolean): Store {
  return storeWith(store, {
    async write(work, caller) {
      let dropped: string[] = []
      const result = await store.write(async (transaction) => {
        // A work that is run again begins anew.
        dropped = []
        const done = await work(watched(transaction, dropped))
        if (dropped.length > 0 && hasVariants()) dropped = dropped.concat(await forgetVariants(transaction, dropped))
        return done
      }, caller)
      if (dropped.length > 0) await blobs.drop(dropped)
      return result
    },
  })
}

function watched(transaction: StoreTransaction, dropped: string[]): StoreTransaction {
  /** Of each item the keys alone: a request can change more items than anybody should hold. */
  const known = new Map<ModelDescription, Map<string, readonly string[]>>()
  const holdsBlobs = ({ slots }: ModelDescription) => slots.length > 0
  const remember = (model: ModelDescription, id: string, keys: readonly string[]): void => {
    const items = known.get(model) ?? new Map()
    known.set(model, items.set(id, keys))
  }
  const before = async (model: ModelDescription, id: string): Promise<readonly string[]> =>
    known.get(model)?.get(id) ?? keysOf(await transaction.find(model, hasId(id)))
  const letGo = (model: ModelDescription, id: string, keys: readonly string[], after: readonly string[]): void => {
    const kept = new Set(after)
    for (const key of keys) if (!kept.has(key)) dropped.push(key)
    remember(model, id, after)
  }
  return transactionWith(transaction, {
    async find(model, condition) {
      const item = await transaction.find(model, condition)
      // Most items are found before they are written: that saves another look.
      if (item && holdsBlobs(model)) remember(model, item.id, keysOf(item))
      return item
    },
    async replace(model, item) {
      if (!holdsBlobs(model)) return transaction.replace(model, item)
      const replaced = await before(model, item.id)
      const outcome = await transaction.replace(model, item)
      if (outcome.kind === 'written') letGo(model, item.id, replaced, keysOf(item))
      return outcome
    },
    async remove(model, id) {
      if (holdsBlobs(model)) letGo(model, id, await before(model, id), none)
      await transaction.remove(model, id)
    },
  })
}

const none: readonly string[] = Object.freeze([])

/** The keys of the blobs that an item holds. */
function keysOf(item: StoredItem | undefined): readonly string[] {
  const keys = item ? Object.values(blobKeysOf(item)) : none
  return keys.length === 0 ? none : keys
}
