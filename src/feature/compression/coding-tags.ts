import type { ContentCoding } from '../../http/headers/accept-encoding.ts'

/**
 * The tag of a representation in a content coding: a strong tag differs from that of the same
 * representation without it, a weak one does not (RFC 9110 §8.8.3.3). Versions end where a dot
 * begins, so `If-Match` needs no change.
 */
export function encodedTag(tag: string, coding: ContentCoding): string {
  return tag.startsWith('W/') ? tag : `${tag.slice(0, -1)}.${coding}"`
}

/** Does the value of `If-None-Match` name a representation in this coding? */
export function hasEncodedTag(header: string | undefined, coding: ContentCoding): boolean {
  return header?.includes(`.${coding}"`) ?? false
}

/** The tags without the coding, as the representations have them before they are encoded. */
export function withoutCoding(header: string, coding: ContentCoding): string {
  return header.replaceAll(`.${coding}"`, '"')
}
