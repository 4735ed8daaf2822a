import type { Authenticate } from '../authentication/authenticate.ts'
import { ApiError } from '../error/api-error.ts'
import { AuthenticationUnavailable } from '../error/authentication-unavailable.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'

/**
 * Who gets a page: `everyone` the same one, whatever credential a request has; otherwise each
 * caller its own. A credential that is refused counts for nothing at the page of `anyCaller`, and
 * ends the request at that of `caller`.
 */
type PageAudience = 'everyone' | 'anyCaller' | 'caller'

/**
 * A page that the router serves beside its rules, below the base path, for GET and HEAD. No
 * middleware guards it.
 */
export interface ServedPage {
  readonly path: string
  readonly audience: PageAudience
  /** @param caller who sent the request; undefined if anonymous, and for pages for everyone */
  respond(request: ApiRequest, caller: unknown): ApiResponse | Promise<ApiResponse>
}

/** @throws ApiError what `authenticate` throws, at a page that is for callers */
export async function servePage(
  page: ServedPage,
  request: ApiRequest,
  authenticate: Authenticate | undefined,
): Promise<ApiResponse> {
  if (page.audience === 'everyone' || !authenticate) return page.respond(request, undefined)
  let caller: unknown
  try {
    caller = await authenticate(request)
  } catch (error) {
    const isRefusal = error instanceof ApiError || error instanceof AuthenticationUnavailable
    if (page.audience === 'caller' || !isRefusal) throw error
  }
  return page.respond(request, caller)
}
