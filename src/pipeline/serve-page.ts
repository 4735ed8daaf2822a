import type { Authenticate } from '../authentication/authenticate.ts'
import type { DocsPage } from '../docs/docs-page.ts'
import { ApiError } from '../error/api-error.ts'
import { AuthenticationUnavailable } from '../error/authentication-unavailable.ts'
import type { ApiRequest } from '../http/api-request.ts'
import type { ApiResponse } from '../http/api-response.ts'

/** @throws ApiError what `authenticate` throws, at a page that is for callers */
export async function servePage(
  page: DocsPage,
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
