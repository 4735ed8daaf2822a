import { percentEncode } from '../percent-encoding.ts'

/** A validator of a representation (RFC 9110 §8.8.3): `W/"a"` is `{ weak: true, value: 'a' }`. */
export interface EntityTag {
  readonly isWeak: boolean
  readonly value: string
}

const noTags: readonly EntityTag[] = Object.freeze([])
const anyTag = /^[\t ]*\*[\t ]*$/
const member = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"(?=[\t ]*(?:,|$))/y
const notInTag = /[^\x21\x23-\x7e\x80-\xff]/gu

/**
 * The tags that `If-Match` or `If-None-Match` names (RFC 9110 §13.1.1, §13.1.2): `'any'` for a sole
 * `*`, else the members that are well-formed; the others are skipped, so a header may name nothing.
 * Takes linear time and never throws.
 */
export function parseEntityTags(header: string | undefined): 'any' | readonly EntityTag[] {
  if (header === undefined) return noTags
  if (anyTag.test(header)) return 'any'
  const tags: EntityTag[] = []
  for (let at = 0; at < header.length; ) {
    if (isSeparator(header.charCodeAt(at))) {
      at++
      continue
    }
    member.lastIndex = at
    const found = member.exec(header)
    if (found) tags.push({ isWeak: found[1] !== undefined, value: found[2] ?? '' })
    at = found ? member.lastIndex : nextComma(header, at)
  }
  return tags
}

/**
 * The tag as it is sent. Characters that a tag cannot hold (quotes, spaces, controls) are
 * percent-encoded.
 */
export function formatEntityTag(tag: EntityTag): string {
  const value = tag.value.replace(notInTag, percentEncode)
  return tag.isWeak ? `W/"${value}"` : `"${value}"`
}

/** Whether both stand for equivalent content, as caches ask (RFC 9110 §8.8.3.2). */
export function isWeakMatch(one: EntityTag, other: EntityTag): boolean {
  return one.value === other.value
}

/**
 * Whether both stand for the same bytes, as writes and ranges ask (RFC 9110 §8.8.3.2): a weak tag
 * matches nothing.
 */
export function isStrongMatch(one: EntityTag, other: EntityTag): boolean {
  return !one.isWeak && !other.isWeak && one.value === other.value
}

function isSeparator(code: number): boolean {
  return code === 0x2c || code === 0x20 || code === 0x09
}

function nextComma(text: string, from: number): number {
  const comma = text.indexOf(',', from)
  return comma < 0 ? text.length : comma
}
