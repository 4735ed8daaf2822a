import type { ServiceDependency } from '../adapter/service.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { idEquals } from '../query/conditions.ts'
import type { BlobStore } from '../store/blob-store.ts'
import type { Store } from '../store/store.ts'

/** An id that no item has. */
const absentId = 'resourcery-health-check'

/** A key that no blob has, in the form of keys: stores do not look for others. */
const absentKey = '00000000-0000-7000-8000-000000000000'

/**
 * The store and the blob store of a router, which respond as they do to requests: with an item and
 * a blob that are not there.
 * @param storedModels those that the store was opened with
 */
export function routerDependencies(
  store: Store,
  blobs: BlobStore | undefined,
  storedModels: () => readonly ModelDescription[],
): readonly ServiceDependency[] {
  const ofStore: ServiceDependency = {
    name: 'store',
    describe: async () => store.admin?.describe?.(),
    check: async (signal) => {
      const [model] = storedModels()
      if (model) await store.find(model, idEquals(absentId), { signal })
    },
  }
  const ofBlobs = blobs && {
    name: 'blobs',
    check: async () => {
      await blobs.read(absentKey)
    },
  }
  return ofBlobs ? [ofStore, ofBlobs] : [ofStore]
}
