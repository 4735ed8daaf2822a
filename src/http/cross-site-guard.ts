import { createApiError } from '../error/api-error.ts'
import { truncate } from '../error/truncate.ts'
import type { ApiRequest } from './api-request.ts'
import { isCrossSite } from './cross-site.ts'

/**
 * Origins whose pages may change things, such as `https://shop.example`; `any` where nothing that a
 * browser sends by itself says who is asking.
 */
export type TrustedOrigins = readonly string[] | 'any'

/** @throws ApiError `cross-site-request` */
export type CrossSiteGuard = (request: ApiRequest) => void

/**
 * Refuses what pages of other sites let the browsers of their readers send: a form can call an
 * action, or upload, with the reader's cookies. Only requests that change something are asked
 * about; what others are answered with, such pages cannot read.
 *
 * @param baseUrl the service's own address; empty where none is given
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
  const who = origin === undefined ? 'A page of another site' : `A page of '${truncate(origin)}'`
  return createApiError(
    'cross-site-request',
    `${who} sent this; expected is a page of this service, or of an origin that createRouter({ trustedOrigins }) lists.`,
    { header: origin === undefined ? 'sec-fetch-site' : 'origin' },
  )
}
