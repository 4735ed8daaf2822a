import type { PreparedRouter } from '../prepared-router.ts'
import type { Router } from '../router.ts'
import type { StoreRouter } from './store-router.ts'

type Registering<Caller> = Pick<Router<Caller>, 'prepare' | 'use' | 'describe' | 'consume' | 'job'>

/** Registers what is registered on the whole router for each of its stores. */
export function registeredOnAll<Caller>(
  entrance: Router<Caller>,
  stores: readonly StoreRouter<Caller>[],
  self: () => Router<Caller>,
): Registering<Caller> {
  // The entrance refuses first what cannot be registered.
  const all = [entrance, ...stores.map(({ router }) => router)]
  const calls: Registering<Caller> = {
    prepare: (model) => preparedOnAll(all.map((router) => router.prepare(model))),
    use: (middleware) => {
      for (const router of all) router.use(middleware as never)
      return self() as never
    },
    // For the document, which is that of the entrance.
    describe: (path, operations) => {
      entrance.describe(path, operations)
      return self() as never
    },
    consume: (name, options, consume) => {
      for (const { router } of stores) router.consume(name, options, consume)
      return self() as never
    },
    job: (name, options, run) => {
      for (const { router } of stores) router.job(name, options, run)
      return self() as never
    },
  }
  return calls
}

function preparedOnAll<Item, Caller>(
  all: readonly PreparedRouter<Item, Caller>[],
): PreparedRouter<Item, Caller> {
  const self: PreparedRouter<Item, Caller> = {
    use: (middleware) => {
      for (const prepared of all) prepared.use(middleware)
      return self
    },
    access: (rules) => {
      for (const prepared of all) prepared.access(rules)
      return self
    },
    get accessRules() {
      return all[0]!.accessRules
    },
    map: (mapper, options) => {
      for (const prepared of all) prepared.map(mapper, options)
      return self
    },
    itemOperation: (name, callable, options) => {
      for (const prepared of all) prepared.itemOperation(name, callable, options)
      return self
    },
  }
  return self
}
