import type { AnyModel } from '../declare/model.ts'
import type { Items } from './items.ts'

/**
 * Items whose store or transaction is opened before the first call.
 * @param run runs a call of items, once they are open
 */
export function itemsOnceOpen<M extends AnyModel>(
  open: () => Promise<Items<M>>,
  run: RunCall<M> = async (call) => call(await open()),
): Items<M> {
  return {
    get: (id, options) => run((items) => items.get(id, options)),
    first: (query, options) => run((items) => items.first(query, options)),
    all: (query, options) => run((items) => items.all(query, options)),
    async *find(query, options) {
      yield* (await open()).find(query, options)
    },
    count: (query) => run((items) => items.count(query)),
    create: (values) => run((items) => items.create(values)),
    createMany: (values) => run((items) => items.createMany(values)),
    update: (id, changes, options) => run((items) => items.update(id, changes, options)),
    replace: (id, values, options) => run((items) => items.replace(id, values, options)),
    upsert: (values) => run((items) => items.upsert(values)),
    delete: (id, options) => run((items) => items.delete(id, options)),
    updateWhere: (query, changes) => run((items) => items.updateWhere(query, changes)),
    deleteWhere: (query) => run((items) => items.deleteWhere(query)),
    call: (id, action, input, options) => run((items) => items.call(id, action, input, options)),
    setResource: (id, path, content) => run((items) => items.setResource(id, path, content)),
    readResource: (id, path) => run((items) => items.readResource(id, path)),
    deleteResource: (id, path) => run((items) => items.deleteResource(id, path)),
  }
}

type RunCall<M extends AnyModel> = <T>(call: (items: Items<M>) => Promise<T>) => Promise<T>
