import type { RequestHeaders } from './api-request.ts'

/**
 * Did a page of another origin send the request? Browsers say so in `Sec-Fetch-Site` and `Origin`;
 * other clients send neither. A page of the same site counts as another origin: a sibling domain
 * gets the same cookies, but may belong to somebody else (RFC 6265 §8.6).
 */
export function isCrossSite(
  headers: RequestHeaders,
  isTrusted: (origin: string) => boolean,
): boolean {
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
