import type { ModelDescription } from '../model/model-description.ts'
import type { BlobStore } from '../store/blob-store.ts'
import { type SharedBlobs, sharedBlobs } from '../store/blobs/shared-blobs.ts'
import { variantModel } from '../store/blobs/variant-table.ts'
import { withBlobDeletion } from '../store/blobs/with-blob-deletion.ts'
import type { Store } from '../store/store.ts'
import { areAllUsersOpen, joinBlobStore, sweepUnreferencedBlobs } from './sweep-blobs.ts'

/** A router's items and blobs, which come and go together. */
export interface RouterStorage {
  readonly store: Store
  /** Undefined where the router keeps no blobs. */
  readonly blobs: SharedBlobs | undefined
  open(models: readonly ModelDescription[]): Promise<void>
  /** Deletes the blobs that no item holds; answers how many there were. */
  sweepBlobs(graceMs: number): Promise<number>
  close(): Promise<void>
}

export interface RouterStorageOptions {
  readonly store: Store
  readonly blobs: BlobStore | undefined
  /** How old blobs that no item holds have to be for a sweep at the start. */
  readonly graceMs: number
  readonly report: (error: unknown) => void
}

export function createRouterStorage({
  store,
  blobs,
  graceMs,
  report,
}: RouterStorageOptions): RouterStorage {
  return blobs ? createBlobStorage(store, blobs, graceMs, report) : createItemStorage(store)
}

function createItemStorage(store: Store): RouterStorage {
  return {
    store,
    blobs: undefined,
    open: (models) => store.open(models),
    sweepBlobs: async () => 0,
    close: () => store.close(),
  }
}

function createBlobStorage(
  store: Store,
  blobs: BlobStore,
  graceMs: number,
  report: (error: unknown) => void,
): RouterStorage {
  const shared = sharedBlobs(blobs, report)
  const share = joinBlobStore(blobs, store)
  const over = new AbortController()
  let hasVariants = false
  let sweeping: Promise<void> = Promise.resolve()
  return {
    store: withBlobDeletion(store, shared, () => hasVariants),
    blobs: shared,
    async open(models) {
      hasVariants = models.some((model) =>
        model.resourcePaths.some(({ field }) => field.variants.length > 0),
      )
      const all = hasVariants ? [...models, variantModel] : models
      await blobs.open()
      await store.open(all)
      share.models = all
      // What a crash left harms nobody: requests need not wait until it is gone.
      if (areAllUsersOpen(blobs))
        sweeping = sweepUnreferencedBlobs(shared, graceMs, over.signal).then(
          () => undefined,
          (error) => {
            if (!over.signal.aborted) report(error)
          },
        )
    },
    async sweepBlobs(grace) {
      if (areAllUsersOpen(blobs)) return sweepUnreferencedBlobs(shared, grace, over.signal)
      throw new Error(
        'A sweep needs every router that shares the blobs to be open, or it would take what is theirs.',
      )
    },
    async close() {
      // What this router's items hold can no longer be asked: the others must not sweep.
      share.models = undefined
      over.abort()
      await sweeping
      await blobs.close()
      await store.close()
    },
  }
}
