import type { RequestHeaders } from './api-request.ts'

/**
 * Does a page of another origin send this, with whatever cookies its reader has? Browsers say so;
 * other clients send neither header. Pages of the same site count as others: a sibling domain
 * shares the cookies, and may be somebody else's (RFC 6265 §8.6).
 *
 * @param isTrusted may pages of this origin send it?
 */
export function isCrossSite(
  headers: RequestHeaders,
  isTrusted: (origin: string) => boolean,
): boolean {
  const { origin } = headers
  const site = headers['sec-fetch-site']
  // `none`: the reader asked for it, not a page.
  if (site === 'same-origin' || site === 'none') return false
  if (site === undefined && (origin === undefined || isSameHost(origin, headers.host))) return false
  return origin === undefined || !isTrusted(origin)
}

/**
 * Older browsers, and pages without TLS, send `Origin` alone. A proxy may have taken the TLS off,
 * so the schemes are not compared.
 */
function isSameHost(origin: string, host: string | undefined): boolean {
  return host !== undefined && URL.canParse(origin) && new URL(origin).host === host.toLowerCase()
}
