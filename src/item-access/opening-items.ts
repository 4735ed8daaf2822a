import type { Items } from '../items/items.ts'
import type { AnyModel } from '../model/declare/model.ts'

/** Items whose router is opened before the first call. */
export function openingItems<M extends AnyModel>(open: () => Promise<Items<M>>): Items<M> {
  return {
    get: async (id, options) => (await open()).get(id, options),
    first: async (query, options) => (await open()).first(query, options),
    all: async (query, options) => (await open()).all(query, options),
    async *find(query, options) {
      yield* (await open()).find(query, options)
    },
    count: async (query) => (await open()).count(query),
    create: async (values) => (await open()).create(values),
    createMany: async (values) => (await open()).createMany(values),
    update: async (id, changes, options) => (await open()).update(id, changes, options),
    replace: async (id, values, options) => (await open()).replace(id, values, options),
    upsert: async (values) => (await open()).upsert(values),
    delete: async (id, options) => (await open()).delete(id, options),
    updateWhere: async (query, changes) => (await open()).updateWhere(query, changes),
    deleteWhere: async (query) => (await open()).deleteWhere(query),
    call: async (id, action, input, options) => (await open()).call(id, action, input, options),
    setResource: async (id, path, content) => (await open()).setResource(id, path, content),
    readResource: async (id, path) => (await open()).readResource(id, path),
    deleteResource: async (id, path) => (await open()).deleteResource(id, path),
  }
}
