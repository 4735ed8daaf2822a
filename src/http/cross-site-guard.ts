import { createApiError } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiRequest, RequestHeaders } from './api-request.ts'

/**
 * Origins whose pages may send requests that change data, such as `https://shop.example`. `any` is
 * safe only if browsers never authenticate by themselves (no cookies, no HTTP authentication).
 */
export type TrustedOrigins = readonly string[] | 'any'

/** @throws ApiError `cross-site-request` */
export type CrossSiteGuard = (request: ApiRequest) => void

/**
 * Refuses cross-site request forgery: a form on another site can call an action or upload a file
 * with the cookies of its visitor. Only for requests that change data; a page of another site
 * cannot read the responses of the others.
 *
 * @param baseUrl the URL of the service; empty if it is not configured
 */
export function crossSiteGuard(trusted: TrustedOrigins, baseUrl: () => string): CrossSiteGuard {
  if (trusted === 'any') return () => {}
  const origins = new Set(trusted)
  const isTrusted = (origin: string): boolean =>
    origins.has(origin) || (origin !== '' && origin === baseUrl())
  return ({ headers }) => {
    if (headers['sec-fetch-site'] === undefined && headers.origin === undefined) return
    if (isCrossSite(headers, isTrusted)) throw crossSiteRequest(headers.origin)
  }
}

function crossSiteRequest(origin: string | undefined): Error {
  const sender = origin === undefined ? 'a page of another site' : `a page of '${truncate(origin)}'`
  return createApiError(
    'cross-site-request',
    `The request came from ${sender}; expected a page of this service, or of an origin in createRouter({ security: { trustedOrigins } }).`,
    { header: origin === undefined ? 'sec-fetch-site' : 'origin' },
  )
}

/**
 * Did a page of another origin send the request? Browsers say so in `Sec-Fetch-Site` and `Origin`;
 * other clients send neither. A page of the same site counts as another origin: a sibling domain
 * gets the same cookies, but may belong to somebody else (RFC 6265 §8.6).
 */
function isCrossSite(headers: RequestHeaders, isTrusted: (origin: string) => boolean): boolean {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  // `none`: the user made the request, for example in the address bar.
  if (site === 'same-origin' || site === 'none') return false
  if (site === undefined && (origin === undefined || isSameHost(origin, headers.host))) return false
  return origin === undefined || !isTrusted(origin)
}

/**
 * Older browsers, and pages without TLS, send `Origin` only. Schemes are not compared, because a
 * proxy may terminate TLS.
 */
function isSameHost(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
}
