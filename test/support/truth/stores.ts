import type { BlobStore, Store } from 'resourcery'
import { countedOnceRead } from './streams.ts'

/** One for each, so that routers that share a store share what stands before it too. */
const stores = new WeakMap<Store, Store>()
const blobStores = new WeakMap<BlobStore, BlobStore>()

/** The store, with an account of its streams. Whatever else it has is its own. */
export function watchedStore(store: Store): Store {
  const known = stores.get(store)
  if (known) return known
  const { rawJson } = store
  const made = overlaid<Store>(store, {
    list: (model, ...asked) =>
      countedOnceRead(`a list of ${model.name}`, store.list(model, ...asked)),
    relatedPages: (model, relation, ...asked) =>
      countedOnceRead(
        `the ${relation.name} of ${model.name}`,
        store.relatedPages(model, relation, ...asked),
      ),
    ...(rawJson && {
      rawJson: overlaid(rawJson, {
        list: (model, ...asked) => {
          const list = rawJson.list(model, ...asked)
          return list && countedOnceRead(`texts of ${model.name}`, list)
        },
      }),
    }),
  })
  stores.set(store, made)
  stores.set(made, made)
  return made
}

export function watchedBlobs(blobs: BlobStore): BlobStore {
  const known = blobStores.get(blobs)
  if (known) return known
  const made = overlaid<BlobStore>(blobs, {
    read: async (key, span) => {
      const bytes = await blobs.read(key, span)
      return bytes && countedOnceRead(`the blob ${key}`, bytes)
    },
  })
  blobStores.set(blobs, made)
  blobStores.set(made, made)
  return made
}

/**
 * Tests replace methods of a store while it is in use, so what is not overlaid is looked up each
 * time.
 */
function overlaid<T extends object>(target: T, over: Partial<T>): T {
  return new Proxy(target, {
    get: (_, name, receiver) =>
      Reflect.get(Object.hasOwn(over, name) ? over : target, name, receiver),
  })
}
