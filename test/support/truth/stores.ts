import type { BlobStore, Store } from 'resourcery'
import { countedOnceRead } from './streams.ts'

/** One wrapper for each store, so that routers that share a store share the wrapper too. */
const stores = new WeakMap<Store, Store>()
const blobStores = new WeakMap<BlobStore, BlobStore>()

/** The store, with its streams counted. Its other members are its own. */
export function watchedStore(store: Store): Store {
  const existing = stores.get(store)
  if (existing) return existing
  const { fastPaths } = store
  const rawJson = fastPaths?.rawJson
  const made = overlaid<Store>(store, {
    list: (model, ...args) =>
      countedOnceRead(`a list of ${model.name}`, store.list(model, ...args)),
    relatedPages: (model, relation, ...args) =>
      countedOnceRead(
        `the ${relation.name} of ${model.name}`,
        store.relatedPages(model, relation, ...args),
      ),
    ...(rawJson && {
      fastPaths: overlaid(fastPaths, {
        rawJson: overlaid(rawJson, {
          list: (model, ...args) => {
            const list = rawJson.list(model, ...args)
            return list && countedOnceRead(`texts of ${model.name}`, list)
          },
        }),
      }),
    }),
  })
  stores.set(store, made)
  stores.set(made, made)
  return made
}

export function watchedBlobs(blobs: BlobStore): BlobStore {
  const existing = blobStores.get(blobs)
  if (existing) return existing
  const watchedStore = overlaid<BlobStore>(blobs, {
    read: async (key, span) => {
      const bytes = await blobs.read(key, span)
      return bytes && countedOnceRead(`the blob ${key}`, bytes)
    },
  })
  blobStores.set(blobs, watchedStore)
  blobStores.set(watchedStore, watchedStore)
  return watchedStore
}

/** Tests replace methods of a store in use, so other members are looked up each time. */
function overlaid<T extends object>(target: T, over: Partial<T>): T {
  return new Proxy(target, {
    get: (_, name, receiver) =>
      Reflect.get(Object.hasOwn(over, name) ? over : target, name, receiver),
  })
}
