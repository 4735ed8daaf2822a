import { createApiError } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiRequest } from './api-request.ts'
import { isCrossSite } from './cross-site.ts'

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
