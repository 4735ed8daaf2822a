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
        if (dropped.length > 0 && hasVariants()) dropped.push(...(await forgetVariants(transaction, dropped)))
        return done
      }, caller)
      if (dropped.length > 0) await blobs.drop(dropped)
      return result
    },
  })
}

function watched(transaction: StoreTransaction, dropped: string[]): StoreTransaction {
  const known = new Map<ModelDescription, Map<string, StoredItem | undefined>>()
  const holdsBlobs = ({ slots }: ModelDescription) => slots.length > 0
  const remember = (model: ModelDescription, id: string, item: StoredItem | undefined): void => {
    const items = known.get(model) ?? new Map()
    known.set(model, items.set(id, item))
  }
  const before = async (model: ModelDescription, id: string): Promise<StoredItem | undefined> => {
    const items = known.get(model)
    return items?.has(id) ? items.get(id) : transaction.find(model, hasId(id))
  }
  const letGo = (model: ModelDescription, id: string, item: StoredItem | undefined, after?: StoredItem): void => {
    const kept = new Set(after ? Object.values(blobKeysOf(after)) : [])
    if (item) dropped.push(...Object.values(blobKeysOf(item)).filter((key) => !kept.has(key)))
    remember(model, id, after)
  }
  return transactionWith(transaction, {
    async find(model, condition) {
      const item = await transaction.find(model, condition)
      // Most items are found before they are written: that saves another look.
      if (item && holdsBlobs(model)) remember(model, item.id, item)
      return item
    },
    async replace(model, item) {
      if (!holdsBlobs(model)) return transaction.replace(model, item)
      const replaced = await before(model, item.id)
      const outcome = await transaction.replace(model, item)
      if (outcome.kind === 'written') letGo(model, item.id, replaced, item)
      return outcome
    },
    async remove(model, id) {
      if (holdsBlobs(model)) letGo(model, id, await before(model, id))
      await transaction.remove(model, id)
    },
  })
}
