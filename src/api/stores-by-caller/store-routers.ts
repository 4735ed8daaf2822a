import { ApiError } from '../../error/api-error.ts'
import type { ItemsOf } from '../../model/items/items.ts'
import type { Router } from '../router.ts'

/** The routers of which one over several stores is made. */
export interface StoreRouters {
  /** Has no data. */
  readonly entrance: Router
  readonly stores: ReadonlyMap<string, Router>
  /** @throws ApiError where the caller has none; Error where the option `store` fails */
  routerOf(caller: unknown): Router
}

/** A member of routers, which those who wrap a router pass on with all others. */
const storeRouters = Symbol('storeRouters')

export function noteStoreRouters(router: object, routers: StoreRouters): void {
  Object.assign(router, { [storeRouters]: routers })
}

/** Undefined for a router over one store. */
export function findStoreRouters(router: object): StoreRouters | undefined {
  return (router as { readonly [storeRouters]?: StoreRouters })[storeRouters]
}

/** The routers over one store each: itself, or those of which it is made. */
export function routersWithData(router: Router): readonly Router[] {
  const routers = findStoreRouters(router)
  return routers ? [...routers.stores.values()] : [router]
}

/** Finds the caller with an id, as options of `jobs()` and `webhooks()` do. */
export type CallerOf = (owner: string, items: ItemsOf, store: string | undefined) => unknown

/** The same for work in one store. */
export type CallerInStore = (owner: string, items: ItemsOf) => unknown

/**
 * Finds callers for work in the store of a router: one that has another store counts as nobody.
 * @param whole the router that `part` belongs to
 */
export function callersInStore(whole: object, part: object, callerOf: CallerOf): CallerInStore {
  const routers = findStoreRouters(whole)
  if (!routers) return (owner, items) => callerOf(owner, items, undefined)
  const [name] = [...routers.stores].find(([, router]) => router === part) ?? []
  const isOfStore = (caller: unknown): boolean => {
    try {
      return routers.routerOf(caller) === part
    } catch (error) {
      if (error instanceof ApiError) return false
      throw error
    }
  }
  return async (owner, items) => {
    const caller = await callerOf(owner, items, name)
    return caller === undefined || caller === null || !isOfStore(caller) ? undefined : caller
  }
}

/** All routers on which something has to be registered. */
export function registeredRouters<Caller>(router: Router<Caller>): readonly Router<Caller>[] {
  const routers = findStoreRouters(router)
  return routers
    ? ([routers.entrance, ...routers.stores.values()] as readonly Router<Caller>[])
    : [router]
}
