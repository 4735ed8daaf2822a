import type { ModelDescription } from '../model/description.ts'
import type { BlobStore } from '../store/blob-store.ts'
import { withItemBlobs } from '../store/item-blobs.ts'
import { type SharedBlobs, sharedBlobs } from '../store/shared-blobs.ts'
import type { Store } from '../store/store.ts'
import { variants } from '../store/variant-table.ts'
import { isWholeKnown, shareIn, sweepUnused } from './sweeping.ts'

/** A router's items and blobs, which come and go together. */
export interface Keeping {
  readonly store: Store
  /** Undefined where the router keeps no blobs. */
  readonly blobs: SharedBlobs | undefined
  open(models: readonly ModelDescription[]): Promise<void>
  /** Deletes the blobs that no item holds; answers how many there were. */
  sweep(graceMs: number): Promise<number>
  close(): Promise<void>
}

export interface KeepingOptions {
  readonly store: Store
  readonly blobs: BlobStore | undefined
  /** How old blobs that no item holds have to be for a sweep at the start. */
  readonly graceMs: number
  readonly report: (error: unknown) => void
}

export function keeping({ store, blobs, graceMs, report }: KeepingOptions): Keeping {
  return blobs ? keepingBlobs(store, blobs, graceMs, report) : keepingItems(store)
}

function keepingItems(store: Store): Keeping {
  return {
    store,
    blobs: undefined,
    open: (models) => store.open(models),
    sweep: async () => 0,
    close: () => store.close(),
  }
}

function keepingBlobs(store: Store, blobs: BlobStore, graceMs: number, report: (error: unknown) => void): Keeping {
  const shared = sharedBlobs(blobs, report)
  const share = shareIn(blobs, store)
  const over = new AbortController()
  let hasVariants = false
  let sweeping: Promise<void> = Promise.resolve()
  return {
    store: withItemBlobs(store, shared, () => hasVariants),
    blobs: shared,
    async open(models) {
      hasVariants = models.some((model) => model.slots.some(({ field }) => field.variants.length > 0))
      const all = hasVariants ? [...models, variants] : models
      await blobs.open()
      await store.open(all)
      share.models = all
      // What a crash left harms nobody: requests need not wait until it is gone.
      if (isWholeKnown(blobs))
        sweeping = sweepUnused(shared, graceMs, over.signal).then(
          () => undefined,
          (error) => {
            if (!over.signal.aborted) report(error)
          },
        )
    },
    async sweep(grace) {
      if (isWholeKnown(blobs)) return sweepUnused(shared, grace, over.signal)
      throw new Error('A sweep needs every router that shares the blobs to be open, or it would take what is theirs.')
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
