import type { Authenticate } from '../authentication/authenticate.ts'
import { isPromise } from '../concurrency/is-promise.ts'
import { ApiError } from '../error/api-error.ts'
import type { Problem } from '../error/problem.ts'
import type { ApiRequest } from '../http/api-request.ts'
import {
  appendHeader,
  joinHeaderValues,
  type ResponseHeaders,
} from '../http/headers/response-headers.ts'
import type { RefusalLimit, RefusedPart } from '../middleware/client-limit.ts'
import type { RequestRouter } from './request-router.ts'

/**
 * Finds the callers of requests, as far as their addresses have points left: a credential that is
 * refused takes one, without points a credential is not looked up, and no more of an address are
 * looked up at a time than it has points.
 * @param hasCredential does a request have one that somebody could guess?
 */
export function limitedAuthenticate(
  authenticate: Authenticate,
  limits: readonly RefusalLimit[],
  hasCredential: (request: ApiRequest) => boolean,
): Authenticate {
  return limits.reduce<Authenticate>(
    (find, limit) => (request, facts) => {
      const counted = () => countRefusal(limit, request, () => find(request, facts))
      return hasCredential(request) ? limit.lookUp(request, counted) : counted()
    },
    authenticate,
  )
}

/** Takes a point where a credential is refused. Returns a promise only then, or if `find` does. */
function countRefusal(limit: RefusalLimit, request: ApiRequest, find: () => unknown): unknown {
  const counted = (error: unknown) => {
    if (error instanceof ApiError && error.status === 401)
      return withTakenPoints([limit], 'credential', request, error)
    throw error
  }
  try {
    const caller = find()
    return isPromise(caller) ? Promise.resolve(caller).catch(counted) : caller
  } catch (error) {
    return counted(error)
  }
}

/**
 * Routes requests, and takes a point of the address of each one that has no rule. `OPTIONS` takes
 * none: browsers send it by themselves.
 */
export function limitedRouter(
  router: RequestRouter,
  limits: readonly RefusalLimit[],
): RequestRouter {
  if (limits.length === 0) return router
  return {
    route: (request) => {
      try {
        return router.route(request)
      } catch (error) {
        if (!(error instanceof ApiError) || request.method === 'OPTIONS') throw error
        return { kind: 'response', response: withTakenPoints(limits, 'path', request, error) }
      }
    },
  }
}

/**
 * Takes a point of the address for a request that is refused.
 * @throws ApiError the error with headers that tell what is left, or 429 where nothing is
 */
export async function withTakenPoints(
  limits: readonly RefusalLimit[],
  part: RefusedPart,
  request: ApiRequest,
  error: ApiError,
): Promise<never> {
  let headers: ResponseHeaders = error.headers
  for (const limit of limits)
    for (const [name, value] of Object.entries(await limit.take(part, request)))
      headers = appendHeader(headers, name, joinHeaderValues(value))
  const problems = error.problems as readonly [Problem, ...Problem[]]
  throw new ApiError(problems, headers, error.omittedCount, error.failedItems)
}
