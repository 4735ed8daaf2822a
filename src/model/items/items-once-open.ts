import { lazyIteration } from '../../cache/lazy-iteration.ts'
import type { AnyModel } from '../declare/model.ts'
import type { Items } from './items.ts'

/**
 * Items whose store or transaction is opened before the first call.
 * @param run runs a call of items, once they are open
 */
export function itemsOnceOpen<M extends AnyModel>(
  open: () => Promise<Items<M>>,
  run: RunItemsCall<M> = async (call) => call(await open()),
): Items<M> {
  return {
    get: (id, options) => run((items) => items.get(id, options), 'read'),
    first: (query, options) => run((items) => items.first(query, options), 'read'),
    all: (query, options) => run((items) => items.all(query, options), 'read'),
    find: (query, options) => lazyIteration(async () => (await open()).find(query, options)),
    count: (query) => run((items) => items.count(query), 'read'),
    groups: (options) => run((items) => items.groups(options), 'read'),
    create: (values) => run((items) => items.create(values), 'write'),
    createMany: (values) => run((items) => items.createMany(values), 'write'),
    validate: (values) => run((items) => items.validate(values), 'write'),
    update: (id, changes, options) => run((items) => items.update(id, changes, options), 'write'),
    replace: (id, values, options) => run((items) => items.replace(id, values, options), 'write'),
    upsert: (values) => run((items) => items.upsert(values), 'write'),
    delete: (id, options) => run((items) => items.delete(id, options), 'write'),
    updateWhere: (query, changes) => run((items) => items.updateWhere(query, changes), 'write'),
    deleteWhere: (query) => run((items) => items.deleteWhere(query), 'write'),
    call: (id, action, input, options) =>
      run((items) => items.call(id, action, input, options), 'write'),
    callOperation: (id, action, input, options) =>
      run((items) => items.callOperation(id, action, input, options), 'write'),
    setResource: (id, path, content) =>
      run((items) => items.setResource(id, path, content), 'write'),
    readResource: (id, path) => run((items) => items.readResource(id, path), 'read'),
    deleteResource: (id, path) => run((items) => items.deleteResource(id, path), 'write'),
  }
}

/** @param kind what the call does with items */
export type RunItemsCall<M extends AnyModel> = <T>(
  call: (items: Items<M>) => Promise<T>,
  kind: 'read' | 'write',
) => Promise<T>
