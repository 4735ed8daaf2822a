import { actionMiddleware } from '../middleware/action-middleware.ts'
import { checkHooks, withoutAnyRequestHook } from '../middleware/hooks.ts'
import type { Middleware } from '../middleware/middleware.ts'
import type { ActionDescription } from '../model/action-description.ts'
import type { ModelDescription } from '../model/model-description.ts'

/** The middleware of each model of a router: that of the router, then its own. */
export interface MiddlewareByModel {
  of(model: ModelDescription): readonly Middleware[]
  /**
   * For items besides those that a request is about: without the request hooks of the router that
   * have run already.
   */
  relatedOf(model: ModelDescription): readonly Middleware[]
  /** That of one action, which runs after the middleware of its model. */
  ofAction(action: ActionDescription): readonly Middleware[]
}

/**
 * @param resolve completes what the middleware of actions declares
 * @param access the access rules of models, which are checked before all hooks
 * @throws RegistrationError for hooks that would never run
 */
export function middlewareByModel(
  routerMiddleware: readonly Middleware[],
  ownMiddleware: ReadonlyMap<ModelDescription, readonly Middleware[]>,
  resolve: (middleware: Middleware) => Middleware,
  access: ReadonlyMap<ModelDescription, Middleware> = new Map(),
): MiddlewareByModel {
  for (const middleware of [routerMiddleware, ...ownMiddleware.values()])
    middleware.forEach(checkHooks)
  const relatedRouterMiddleware = routerMiddleware.map(withoutAnyRequestHook)
  const all = new Map<ModelDescription, readonly Middleware[]>()
  const related = new Map<ModelDescription, readonly Middleware[]>()
  for (const [model, own] of ownMiddleware) {
    const rules = access.get(model)
    const first = rules ? [rules] : []
    all.set(model, [...first, ...routerMiddleware, ...own])
    related.set(model, [...first, ...relatedRouterMiddleware, ...own])
  }
  return {
    of: (model) => all.get(model)!,
    relatedOf: (model) => related.get(model)!,
    ofAction: (action) => actionMiddleware(action).map(resolve),
  }
}
