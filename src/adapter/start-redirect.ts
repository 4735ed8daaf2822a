import type { ApiRequest } from '../http/api-request.ts'
import { type ApiResponse, respond } from '../http/api-response.ts'
import { acceptsHtml } from '../http/headers/accept.ts'
import type { Service } from './service.ts'

/** Leads browsers from `/` to the first service with a start page; undefined for all others. */
export function startRedirect(
  services: readonly Service[],
  { method, path, headers }: ApiRequest,
): ApiResponse | undefined {
  if (path !== '/' || (method !== 'GET' && method !== 'HEAD') || !acceptsHtml(headers.accept))
    return undefined
  const service = services.find(({ hasStartPage }) => hasStartPage === true)
  return service && respond(302, { location: service.basePath, vary: 'Accept' })
}
