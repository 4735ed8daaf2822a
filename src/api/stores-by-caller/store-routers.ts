import type { Router } from '../router.ts'

/** The routers of which one over several stores is made. */
export interface StoreRouters {
  /** Has no data. */
  readonly entrance: Router
  readonly stores: readonly Router[]
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
  return findStoreRouters(router)?.stores ?? [router]
}

/** All routers on which something has to be registered. */
export function registeredRouters<Caller>(router: Router<Caller>): readonly Router<Caller>[] {
  const routers = findStoreRouters(router)
  return routers ? ([routers.entrance, ...routers.stores] as readonly Router<Caller>[]) : [router]
}
