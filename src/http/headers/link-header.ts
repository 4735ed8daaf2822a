import { percentEncode } from '../percent-encoding.ts'

/** A typed link: `href` an URI reference, `rel` a relation type or several with spaces between. */
export interface TypedLink {
  readonly href: string
  readonly rel: string
}

const notInUri = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?#[\]@!$&'()*+,;=%]/gu
const notInRelation = /%(?![\dA-Fa-f]{2})|[^\w\-.~:/?#[\]@!$&'()*+,;=% ]/gu

/**
 * The value of a `Link` header (RFC 8288 §3), in the order given; empty without links. Characters
 * that an URI cannot hold are percent-encoded, escapes that are already there stay, so nothing can
 * end the target or the header line.
 *
 * ```ts
 * linkHeader([{ href: '/books?page%5Bafter%5D=x', rel: 'next' }]) // </books?page%5Bafter%5D=x>; rel="next"
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
