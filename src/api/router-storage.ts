import type { ModelDescription } from '../model/model-description.ts'
import type { BlobStore } from '../store/blob-store.ts'
import { BlobDeletion, type BlobDeletionSettings } from '../store/blobs/blob-deletion.ts'
import { type SharedBlobs, sharedBlobs } from '../store/blobs/shared-blobs.ts'
import { variantModel } from '../store/blobs/variant-table.ts'
import type { Store, StoreOpenOptions } from '../store/store.ts'
import { UniqueRanges } from '../store/unique-ranges.ts'
import type { BeginObserver } from '../store/write-observer.ts'
import { areAllUsersOpen, joinBlobStore, sweepUnreferencedBlobs } from './sweep-blobs.ts'

/** The store and blob store of a router, which are opened and closed together. */
export interface RouterStorage {
  readonly store: Store
  /** What the storage does around the writes of these models. */
  observersOf(models: readonly ModelDescription[]): readonly BeginObserver[]
  /** Undefined if the router has no blob store. */
  readonly blobs: SharedBlobs | undefined
  /** @param models with those of {@link storedModels} */
  open(models: readonly ModelDescription[], options: StoreOpenOptions): Promise<void>
  /** The models with those that the storage itself adds. */
  storedModels(models: readonly ModelDescription[]): readonly ModelDescription[]
  /** Deletes unreferenced blobs. @returns their number */
  sweepBlobs(graceMs: number): Promise<number>
  close(): Promise<void>
}

export interface RouterStorageOptions {
  readonly store: Store
  readonly blobs: BlobStore | undefined
  /** The age of unreferenced blobs that are deleted when the router opens. */
  readonly graceMs: number
  readonly onError: (error: unknown) => void
}

export function createRouterStorage({
  store,
  blobs,
  graceMs,
  onError,
}: RouterStorageOptions): RouterStorage {
  return blobs ? createBlobStorage(store, blobs, graceMs, onError) : createItemStorage(store)
}

function createItemStorage(store: Store): RouterStorage {
  return {
    store,
    observersOf: (models) => rangeObservers(store, models),
    blobs: undefined,
    open: (models, options) => store.open(models, options),
    storedModels: (models) => models,
    sweepBlobs: async () => 0,
    close: () => store.close(),
  }
}

function createBlobStorage(
  store: Store,
  blobs: BlobStore,
  graceMs: number,
  onError: (error: unknown) => void,
): RouterStorage {
  const shared = sharedBlobs(blobs, onError)
  const user = joinBlobStore(blobs, store)
  const closing = new AbortController()
  let sweeping: Promise<void> = Promise.resolve()
  return {
    store,
    observersOf(models) {
      const settings: BlobDeletionSettings = {
        blobs: shared,
        models: new Set(models.filter(({ resourcePaths }) => resourcePaths.length > 0)),
        hasVariants: haveVariants(models),
      }
      const deletion = settings.models.size > 0 ? [() => new BlobDeletion(settings)] : []
      return [...deletion, ...rangeObservers(store, models)]
    },
    blobs: shared,
    async open(models, options) {
      await blobs.open()
      await store.open(models, options)
      user.models = models
      // Requests need not wait for the deletion of blobs that a crash left.
      if (areAllUsersOpen(blobs))
        sweeping = sweepUnreferencedBlobs(shared, graceMs, closing.signal).then(
          () => undefined,
          (error) => {
            if (!closing.signal.aborted) onError(error)
          },
        )
    },
    storedModels: withVariantModel,
    async sweepBlobs(minAgeMs) {
      if (areAllUsersOpen(blobs)) return sweepUnreferencedBlobs(shared, minAgeMs, closing.signal)
      throw new Error(
        'sweep() needs every router that shares the blob store to be open; otherwise it would delete blobs that closed routers still reference.',
      )
    },
    async close() {
      // The references of this router can no longer be read, so other routers must not sweep.
      user.models = undefined
      closing.abort()
      await sweeping
      await blobs.close()
      await store.close()
    },
  }
}

function haveVariants(models: readonly ModelDescription[]): boolean {
  return models.some((model) => model.resourcePaths.some(({ field }) => field.variants.length > 0))
}

function withVariantModel(models: readonly ModelDescription[]): readonly ModelDescription[] {
  return haveVariants(models) ? [...models, variantModel] : models
}

/** None where no model has a range. */
function rangeObservers(
  store: Store,
  models: readonly ModelDescription[],
): readonly BeginObserver[] {
  const withRanges = models.filter(({ uniqueRanges }) => uniqueRanges.length > 0)
  return withRanges.length === 0 ? [] : [new UniqueRanges(store, withRanges)]
}
