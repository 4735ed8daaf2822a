import type { ApiRequest } from '../../http/api-request.ts'
import { type ApiResponse, noBody } from '../../http/api-response.ts'
import type { ResponseHeaders } from '../../http/headers/response-headers.ts'
import { addedVary } from '../../http/headers/vary.ts'
import type { RequestHandler } from '../feature.ts'
import type { CorsSettings } from './cors-options.ts'
import type { CorsRules } from './cors-rules.ts'

/**
 * Responds to preflights before authentication, because browsers send no credentials with them, and
 * adds the headers of CORS to every response, errors too, so that the page can read why a request
 * failed.
 *
 * @param rules undefined until the router is open
 */
export function withCors(
  handle: RequestHandler,
  settings: CorsSettings,
  basePath: string,
  rules: () => CorsRules | undefined,
): RequestHandler {
  const { origins, credentials, maxAgeSeconds } = settings
  const known = new Set(origins === '*' ? [] : origins)
  const originHeaders = (origin: string | undefined): Readonly<Record<string, string>> => {
    if (origins === '*') return { 'access-control-allow-origin': '*' }
    if (origin === undefined || !known.has(origin)) return {}
    return {
      'access-control-allow-origin': origin,
      ...(credentials && { 'access-control-allow-credentials': 'true' }),
    }
  }
  const preflightResponse = (request: ApiRequest): ApiResponse | undefined => {
    const match = rules()?.paths.match('OPTIONS', request.path.slice(basePath.length))
    const allowed = originHeaders(request.headers.origin)
    if (match?.kind !== 'found' || allowed['access-control-allow-origin'] === undefined)
      return undefined
    const { allow, methods, headers } = match.value
    return {
      status: 204,
      headers: {
        ...allowed,
        'access-control-allow-methods': methods,
        'access-control-allow-headers': headers,
        'access-control-max-age': String(maxAgeSeconds),
        allow,
        vary: origins === '*' ? 'Accept' : 'Origin, Accept',
      },
      body: noBody,
    }
  }
  return async (request) => {
    const early = isPreflight(request) ? preflightResponse(request) : undefined
    if (early) return early
    const response = await handle(request)
    // The first request opens the router, and its rules are known from then on.
    const late = isPreflight(request) ? preflightResponse(request) : undefined
    if (late) return late
    const allowed = originHeaders(request.headers.origin)
    const isAllowed = allowed['access-control-allow-origin'] !== undefined
    const exposed = rules()?.exposedHeaders
    const headers = isAllowed ? response.headers : withoutPermission(response.headers)
    return {
      ...response,
      headers: {
        ...headers,
        ...allowed,
        ...(isAllowed && exposed && { 'access-control-expose-headers': exposed }),
        // Caches must not give the response for one origin to another one.
        ...(origins !== '*' && { vary: addedVary('Origin', headers.vary) }),
      },
    }
  }
}

/** What code of the service has set does not hold for origins that are not listed. */
function withoutPermission(headers: ResponseHeaders): ResponseHeaders {
  if (headers['access-control-allow-origin'] === undefined) return headers
  const { 'access-control-allow-origin': _, ...others } = headers
  return others
}

function isPreflight({ method, headers }: ApiRequest): boolean {
  return (
    method === 'OPTIONS' &&
    headers.origin !== undefined &&
    headers['access-control-request-method'] !== undefined
  )
}
