/**
 * Does the text match the pattern, where `%` matches any characters and `_` exactly one? Clients
 * send patterns, so the match never backtracks: each segment between two `%` is searched once, from
 * the end of the segment before it.
 *
 * ```ts
 * isLike('Frankenstein', '%stein') // true
 * ```
 */
export function isLike(text: string, pattern: string): boolean {
  const [first, ...segments] = pattern.split('%')
  const last = segments.pop()
  const firstEnd = matchAt(text, 0, first!)
  if (firstEnd === undefined) return false
  if (last === undefined) return firstEnd === text.length
  let offset = firstEnd
  for (const segment of segments) {
    const segmentEnd = findFrom(text, offset, segment)
    if (segmentEnd === undefined) return false
    offset = segmentEnd
  }
  return matchesEnd(text, offset, last)
}

/** Where a match of the segment that begins at `start` ends; undefined if it does not match. */
function matchAt(text: string, start: number, segment: string): number | undefined {
  if (!segment.includes('_'))
    return text.startsWith(segment, start) ? start + segment.length : undefined
  let offset = start
  for (const character of segment) {
    const codePoint = text.codePointAt(offset)
    if (codePoint === undefined) return undefined
    if (character !== '_' && character.codePointAt(0) !== codePoint) return undefined
    offset += lengthOf(codePoint)
  }
  return offset
}

/** Where the first match of the segment at or after `start` ends. */
function findFrom(text: string, start: number, segment: string): number | undefined {
  const prefixLength = segment.indexOf('_')
  if (prefixLength < 0) {
    const index = text.indexOf(segment, start)
    return index < 0 ? undefined : index + segment.length
  }
  const prefix = segment.slice(0, prefixLength)
  let offset = start
  for (; offset <= text.length; offset += lengthOf(text.codePointAt(offset) ?? 0)) {
    if (prefix !== '') offset = text.indexOf(prefix, offset)
    if (offset < 0) return undefined
    const matchEnd = matchAt(text, offset, segment)
    if (matchEnd !== undefined) return matchEnd
  }
  return undefined
}

function matchesEnd(text: string, start: number, segment: string): boolean {
  let offset = text.length
  for (const character of Array.from(segment).reverse()) {
    if (offset <= start) return false
    offset -= isLowSurrogate(text.charCodeAt(offset - 1)) && offset - 2 >= start ? 2 : 1
    if (character !== '_' && character.codePointAt(0) !== text.codePointAt(offset)) return false
  }
  return true
}

function lengthOf(codePoint: number): number {
  return codePoint > 0xffff ? 2 : 1
}

function isLowSurrogate(code: number): boolean {
  return code >= 0xdc00 && code < 0xe000
}
