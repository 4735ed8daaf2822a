import type { ModelDescription } from '../model/model-description.ts'
import { allItemsPlan } from '../query/query-plan.ts'
import type { BlobStore } from '../store/blob-store.ts'
import type { SharedBlobs } from '../store/blobs/shared-blobs.ts'
import { sweep } from '../store/blobs/sweep.ts'
import { variantBlobKey, variantModel } from '../store/blobs/variant-table.ts'
import { keptItems, versionModel } from '../store/history/version-table.ts'
import type { Store } from '../store/store.ts'
import { trashedItems, trashModel } from '../store/trash/trash-table.ts'
import { blobKeysOf } from '../stored-item/item-resources.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'

/** A router that uses a blob store. */
export interface BlobStoreUser {
  readonly store: Store
  /** The models whose items may reference blobs; undefined while the router is not open. */
  models: readonly ModelDescription[] | undefined
}

const usersByBlobStore = new WeakMap<BlobStore, Set<BlobStoreUser>>()

/** Registers a router, so that no sweep deletes its blobs before its items can be read. */
export function joinBlobStore(blobs: BlobStore, store: Store): BlobStoreUser {
  const users = usersByBlobStore.get(blobs) ?? new Set()
  usersByBlobStore.set(blobs, users)
  const user: BlobStoreUser = { store, models: undefined }
  users.add(user)
  return user
}

/** Are all routers of this process that use the blob store open? */
export function areAllUsersOpen(blobs: BlobStore): boolean {
  return [...(usersByBlobStore.get(blobs) ?? [])].every(({ models }) => models !== undefined)
}

/**
 * Deletes blobs that no item of any router references.
 * @param graceMs younger blobs stay, because their items may not be written yet
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

/** Routers over one store usually have the same models, whose items are read once. */
async function* referencedBlobKeys(
  users: ReadonlySet<BlobStoreUser>,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const modelsByStore = new Map<Store, Map<string, ModelDescription>>()
  for (const { store, models = [] } of users) {
    const modelsByName = modelsByStore.get(store) ?? new Map()
    modelsByStore.set(store, modelsByName)
    for (const model of models) modelsByName.set(model.name, model)
  }
  for (const [store, modelsByName] of modelsByStore)
    for await (const batch of blobKeysOfStore(store, [...modelsByName.values()])) {
      signal.throwIfAborted()
      yield* batch
    }
}

/** What no model declares any more is kept, so its blobs are, too. */
async function* blobKeysOfStore(
  store: Store,
  models: readonly ModelDescription[],
): AsyncGenerator<readonly string[]> {
  for (const model of models) yield* blobKeysIn(store, model)
  const { admin } = store
  if (admin?.undeclaredBlobKeys) yield* admin.undeclaredBlobKeys(models)
}

async function* blobKeysIn(
  store: Store,
  model: ModelDescription,
): AsyncGenerator<readonly string[]> {
  const isVariant = model === variantModel
  const kept =
    model === versionModel
      ? keptItems(store)
      : model === trashModel
        ? trashedItems(store)
        : undefined
  if (kept) {
    for await (const batch of kept) yield batch.flatMap((item) => Object.values(blobKeysOf(item)))
    return
  }
  const { fastPaths } = store
  if (fastPaths?.blobKeys && !isVariant) return yield* fastPaths.blobKeys(model)
  const keysOf = isVariant
    ? (item: StoredItem) => [variantBlobKey(item)]
    : (item: StoredItem) => Object.values(blobKeysOf(item))
  for await (const batch of store.list(model, allItemsPlan)) yield batch.flatMap(keysOf)
}
