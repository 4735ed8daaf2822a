import { percentEncode } from '../percent-encoding.ts'

/** A typed link: `href` is a URI reference, `rel` one or several relation types. */
export interface TypedLink {
  readonly href: string
  readonly rel: string
}

const notInUri = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?#[\]@!$&'()*+,;=%]/gu
const notInRelation = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?#[\]@!$&'()*+,;=% ]/gu

/**
 * The value of a `Link` header (RFC 8288 §3). Characters that a URI cannot have are percent-encoded
 * and existing escapes stay, so that no link can end the header line.
 *
 * ```ts
 * formatLinkHeader([{ href: '/books?page%5Bafter%5D=x', rel: 'next' }])
 * // </books?page%5Bafter%5D=x>; rel="next"
 * ```
 */
export function formatLinkHeader(links: readonly TypedLink[]): string {
  return links
    .map(
      ({ href, rel }) =>
        `<${encodeUnsafe(href, notInUri)}>; rel="${encodeUnsafe(rel, notInRelation)}"`,
    )
    .join(', ')
}

function encodeUnsafe(text: string, unsafe: RegExp): string {
  return text.replace(unsafe, percentEncode)
}
