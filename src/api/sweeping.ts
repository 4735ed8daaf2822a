import type { ModelDescription } from '../model/description.ts'
import { everything } from '../query/query-plan.ts'
import type { BlobStore } from '../store/blob-store.ts'
import { blobKeysOf } from '../store/item-resources.ts'
import type { SharedBlobs } from '../store/shared-blobs.ts'
import type { Store } from '../store/store.ts'
import { sweep } from '../store/sweep.ts'
import { variantKey, variants } from '../store/variant-table.ts'

/** One router's share in a blob store: the models whose items may hold its blobs; undefined until the router is open. */
export interface Share {
  readonly store: Store
  models: readonly ModelDescription[] | undefined
}

const shares = new WeakMap<BlobStore, Set<Share>>()

/** Says that a router will hold blobs of this store, so that nothing of its is swept away before its items can be asked. */
export function shareIn(blobs: BlobStore, store: Store): Share {
  const all = shares.get(blobs) ?? new Set()
  shares.set(blobs, all)
  const share: Share = { store, models: undefined }
  all.add(share)
  return share
}

/** Are all routers of this process open that share the blobs? */
export function isWholeKnown(blobs: BlobStore): boolean {
  return [...(shares.get(blobs) ?? [])].every((share) => share.models !== undefined)
}

/** Deletes the blobs that no item of any of the routers holds. @param graceMs younger ones are left: uploads whose items are not written yet */
export function sweepUnused({ store, swept }: SharedBlobs, graceMs: number, signal: AbortSignal): Promise<number> {
  return sweep(swept, usedKeys(shares.get(store) ?? new Set(), signal), graceMs)
}

/** Routers over one store mostly have the same models: their items are read once. */
async function* usedKeys(all: ReadonlySet<Share>, signal: AbortSignal): AsyncGenerator<string, void> {
  const read = new Map<Store, Set<string>>()
  for (const { store, models = [] } of all) {
    const known = read.get(store) ?? new Set()
    read.set(store, known)
    for (const model of models) {
      if (known.has(model.name)) continue
      known.add(model.name)
      for await (const batch of store.list(model, everything)) {
        signal.throwIfAborted()
        for (const item of batch) yield* model === variants ? [variantKey(item)] : Object.values(blobKeysOf(item))
      }
    }
  }
}
