import type { Authentication } from '../authentication/authentication.ts'
import type { Middleware } from '../middleware/middleware.ts'
import { describedSchemes, withSchemes } from '../rule/security.ts'

/**
 * Completes the security that middleware declares: a scheme is described once, by an authenticator
 * or by middleware, and other middleware of the router may name it.
 * @param all the middleware of the router and of all its models
 * @throws RegistrationError for a scheme that none of them describes
 */
export function resolveSecurity(
  all: readonly Middleware[],
  authentication: Authentication | undefined,
): (middleware: Middleware) => Middleware {
  const schemes = describedSchemes([
    ...(authentication ? [authentication.declaration] : []),
    ...all.flatMap((middleware) => middleware?.declares ?? []),
  ])
  const resolved = new Map<Middleware, Middleware>()
  return (middleware) => {
    if (!middleware?.declares?.security) return middleware
    // One object for each, because declarations are compared.
    const known = resolved.get(middleware) ?? {
      ...middleware,
      declares: withSchemes(middleware.declares, schemes),
    }
    resolved.set(middleware, known)
    return known
  }
}
