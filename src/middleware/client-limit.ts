import type { Context } from '../context/context.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'
import type { ResponseHeaders } from '../http/headers/response-headers.ts'
import type { Middleware } from './middleware.ts'

/** What middleware that limits clients does besides its hooks. */
export interface ClientLimit {
  /** As responses name it; undefined where they do not. */
  readonly name: string | undefined
  /** Does it tell callers apart by their ids? */
  readonly isByCaller: boolean
  /** Undefined where requests that are refused early are not limited. */
  readonly refusals: RefusalLimit | undefined
  readonly relatedIds: RelatedIdsHook | undefined
  /**
   * Runs a request to a route of one's own, which is one point.
   * @throws ApiError `too-many-requests`, `overloaded`
   */
  ofRoute(
    sender: Pick<Context, 'request' | 'caller' | 'client'>,
    next: () => Promise<ApiResponse>,
  ): Promise<ApiResponse>
}

/**
 * Runs with the number of ids of related items that a body names, if there are any.
 * @throws ApiError `too-many-requests`
 */
export type RelatedIdsHook = (context: Context, count: number) => Promise<void>

/** Why a request is refused before it has a rule or a caller; each reason has its own points. */
export type RefusedPart = 'credential' | 'path'

/** Limits requests that are refused before they have a rule or a caller, by their address. */
export interface RefusalLimit {
  /**
   * Looks a credential up, beside as many others of the address as it has points for credentials;
   * further ones wait for these.
   * @throws ApiError `too-many-requests` while the address has none
   */
  lookUp<Found>(request: ApiRequest, find: () => Found | Promise<Found>): Found | Promise<Found>
  /**
   * Takes a point for a request that is refused.
   * @returns what is left, as headers
   * @throws ApiError `too-many-requests` if none is left; `overloaded`
   */
  take(part: RefusedPart, request: ApiRequest): Promise<ResponseHeaders>
}

/** A symbol, so that the copies of middleware which a router makes have it too. */
const limitKey = Symbol('client limit')

export function withClientLimit(middleware: Middleware, limit: ClientLimit): Middleware {
  return Object.assign(middleware, { [limitKey]: limit })
}

export function clientLimitsOf(middleware: readonly Middleware[]): readonly ClientLimit[] {
  return middleware.flatMap(
    (source) => (source as { readonly [limitKey]?: ClientLimit })[limitKey] ?? [],
  )
}
