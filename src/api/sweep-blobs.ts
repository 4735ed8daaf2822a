import type { ModelDescription } from '../model/model-description.ts'
import { allItemsPlan } from '../query/query-plan.ts'
import type { BlobStore } from '../store/blob-store.ts'
import type { SharedBlobs } from '../store/blobs/shared-blobs.ts'
import { sweep } from '../store/blobs/sweep.ts'
import { variantBlobKey, variantModel } from '../store/blobs/variant-table.ts'
import type { Store } from '../store/store.ts'
import { blobKeysOf } from '../stored-item/item-resources.ts'

/**
 * One router's share in a blob store: the models whose items may hold its blobs; undefined until
 * the router is open.
 */
export interface BlobStoreUser {
  readonly store: Store
  models: readonly ModelDescription[] | undefined
}

const usersByBlobStore = new WeakMap<BlobStore, Set<BlobStoreUser>>()

/**
 * Says that a router will hold blobs of this store, so that nothing of its is swept away before its
 * items can be asked.
 */
export function joinBlobStore(blobs: BlobStore, store: Store): BlobStoreUser {
  const all = usersByBlobStore.get(blobs) ?? new Set()
  usersByBlobStore.set(blobs, all)
  const share: BlobStoreUser = { store, models: undefined }
  all.add(share)
  return share
}

/** Are all routers of this process open that share the blobs? */
export function areAllUsersOpen(blobs: BlobStore): boolean {
  return [...(usersByBlobStore.get(blobs) ?? [])].every((share) => share.models !== undefined)
}

/**
 * Deletes the blobs that no item of any of the routers holds. @param graceMs younger ones are left:
 * uploads whose items are not written yet
 */
export function sweepUnreferencedBlobs(
  { store, sweepable }: SharedBlobs,
  graceMs: number,
  signal: AbortSignal,
): Promise<number> {
  return sweep(
    sweepable,
    referencedBlobKeys(usersByBlobStore.get(store) ?? new Set(), signal),
    graceMs,
  )
}

/** Routers over one store mostly have the same models: their items are read once. */
async function* referencedBlobKeys(
  all: ReadonlySet<BlobStoreUser>,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const read = new Map<Store, Set<string>>()
  for (const { store, models = [] } of all) {
    const known = read.get(store) ?? new Set()
    read.set(store, known)
    for (const model of models) {
      if (known.has(model.name)) continue
      known.add(model.name)
      for await (const batch of store.list(model, allItemsPlan)) {
        signal.throwIfAborted()
        for (const item of batch)
          yield* model === variantModel ? [variantBlobKey(item)] : Object.values(blobKeysOf(item))
      }
    }
  }
}
