import type { ItemsOptions } from '../../context/items-options.ts'
import type { OutputOf, Schema } from '../../schema/standard-schema.ts'
import type { Router } from '../router.ts'
import type { RouterOptions } from '../router-options.ts'
import { type RouterOverStore, routerOverStore } from '../router-over-store.ts'
import type { NamedStore } from './check-stores.ts'
import { storeChooser } from './choose-store.ts'
import { registeredOnAll } from './registered-on-all.ts'
import type { RouterByCallerOptions } from './router-by-caller-options.ts'
import type { RouterOfStore } from './router-of-store.ts'
import { StoreCalls } from './store-calls.ts'
import { type StoreRouter, storeRouter } from './store-router.ts'
import { noteStoreRouters } from './store-routers.ts'
import { StoresLifecycle } from './stores-lifecycle.ts'
import { factsOfBlobs, factsOfStores, withoutData } from './without-data.ts'
import { workInAll } from './work-in-all.ts'

/**
 * A router over several stores, of which the caller of a request decides. Its data calls
 * (`items`, `transaction`) need the request in whose name they act (`as`), unless they take part in
 * a transaction; `load`, `query` and others need a store: see `inStore`.
 */
export interface RouterByCaller<Caller = unknown, Name extends string = string>
  extends Router<Caller> {
  /**
   * The data of one store, for seeds, scripts and code that acts as the service.
   *
   * ```ts
   * await byCaller.inStore('north').load(Genre, [{ id: 'novel', name: 'Novel' }])
   * ```
   *
   * @throws RegistrationError if there is no store with this name
   */
  inStore(name: Name): RouterOfStore
  /**
   * The data of the store of a caller, for routes of your own and hooks that act as the service.
   *
   * ```ts
   * const reports = byCaller.service('/reports', async ({ caller }) => {
   *   const count = await byCaller.inStoreOf(caller).query(Book).size()
   *   return respond(200, {}, String(count))
   * })
   * ```
   *
   * @throws ApiError `unauthorized` or `forbidden` where the caller has no store
   */
  inStoreOf(caller: Caller | undefined): RouterOfStore
}

const noData =
  'An authenticator reads items of a router with several stores, but their store is only known once the caller is. Read them with a router over one store.'

/**
 * One router for each store, from the same registrations, and one before them that finds the
 * caller. What a router keeps belongs to its store, so nothing has to be told apart later.
 * @throws RegistrationError for an invalid value of an option
 */
export function routerByCaller<S extends Schema, Name extends string>(
  options: RouterByCallerOptions<S, Name>,
  stores: readonly NamedStore[],
): RouterByCaller<OutputOf<S>, Name> {
  type Caller = OutputOf<S>
  const { stores: _stores, store: choose, ...shared } = options
  const [first] = stores as readonly [NamedStore, ...NamedStore[]]
  const entranceOptions = {
    ...shared,
    store: withoutData(first.store, noData, factsOfStores(stores)),
    ...(first.blobs && { blobs: withoutData(first.blobs, noData, factsOfBlobs(stores)) }),
  } satisfies RouterOptions<S>
  const entrance: RouterOverStore<Caller> = routerOverStore<S>(entranceOptions, {
    kind: 'entrance',
    handlerOf: (caller) => {
      const store = storeOf(caller as Caller | undefined)
      return (request, known) => calls.runIn(store, () => store.handle(request, known))
    },
  })
  const { onError } = entrance.parts.settings
  const routers: readonly StoreRouter<Caller>[] = stores.map((store) =>
    storeRouter<S>(shared, store, stores.length, onError),
  )
  const byName = new Map(routers.map((store) => [store.name, store]))
  const storeOf = storeChooser<Caller, StoreRouter<Caller>>(byName, {
    choose,
    hasAuthentication: entrance.parts.settings.authentication !== undefined,
  })
  const calls = new StoreCalls<Caller>(routers, storeOf)
  const lifecycle = new StoresLifecycle(routers, (error) => onError(error, undefined))

  const own: Router<Caller> = Object.defineProperties(
    {} as Router<Caller>,
    Object.getOwnPropertyDescriptors(entrance.router),
  )
  const router: RouterByCaller<Caller, Name> = Object.assign(own, {
    ...registeredOnAll<Caller>(entrance.router, routers, () => router),
    ...workInAll(routers),
    limitsItsQueues: true,
    dependencies: routers.map(({ dependency }) => dependency),
    load: async (...call: Parameters<Router['load']>) => calls.current('load()').load(...call),
    loadResource: async (...call: Parameters<Router['loadResource']>) =>
      calls.current('loadResource()').loadResource(...call),
    erase: async (...call: Parameters<Router['erase']>) => calls.current('erase()').erase(...call),
    query: ((model) => calls.current('query()').query(model)) as Router['query'],
    items: ((model, itemsOptions?: ItemsOptions) =>
      calls.for('items()', itemsOptions).items(model, itemsOptions)) as Router['items'],
    transaction: (async (work, itemsOptions) =>
      calls
        .for('transaction()', itemsOptions)
        .transaction(work, itemsOptions)) as Router['transaction'],
    inStore: (name: Name) => calls.inStore(name),
    inStoreOf: (caller: Caller | undefined) => calls.inStoreOf(caller),
    open: () => lifecycle.open(entrance.opening.open),
    endStreams: () => {
      entrance.router.endStreams?.()
      for (const store of routers) store.router.endStreams?.()
    },
    close: () => lifecycle.close(),
  })
  noteStoreRouters(router, {
    entrance: entrance.router as Router,
    stores: new Map(routers.map((store) => [store.name, store.router as Router])),
    routerOf: (caller) => storeOf(caller as Caller | undefined).router as Router,
  })
  return router
}
