/** An entity tag (RFC 9110 §8.8.3): `W/"a"` is `{ isWeak: true, value: 'a' }`. */
export interface EntityTag {
  readonly isWeak: boolean
  readonly value: string
}

const noTags: readonly EntityTag[] = Object.freeze([])
const anyTag = /^[\t ]*\*[\t ]*$/
const member = /(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"(?=[\t ]*(?:,|$))/y

/**
 * The tags of `If-Match` or `If-None-Match` (RFC 9110 §13.1.1, §13.1.2), or `'any'` for `*`.
 * Malformed members are skipped. Takes linear time and never throws.
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
    const match = member.exec(header)
    if (match) tags.push({ isWeak: match[1] !== undefined, value: match[2] ?? '' })
    at = match ? member.lastIndex : nextComma(header, at)
  }
  return tags
}

function isSeparator(code: number): boolean {
  return code === 0x2c || code === 0x20 || code === 0x09
}

function nextComma(text: string, from: number): number {
  const comma = text.indexOf(',', from)
  return comma < 0 ? text.length : comma
}
