/**
 * What part of a representation to send: `start` and `end` are byte positions from 0, both
 * inclusive.
 */
export type RequestedRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' }

const wholeRange: RequestedRange = Object.freeze({ kind: 'whole' })
const unsatisfiableRange: RequestedRange = Object.freeze({ kind: 'unsatisfiable' })
const singleRangePattern = /^bytes=[\t ,]*(?:(\d+)-(\d*)|-(\d+))[\t ,]*$/i

/**
 * The bytes that a `Range` header asks of a representation of `size` bytes (RFC 9110 §14.1.2,
 * §14.2). Several ranges, other units and whatever is malformed are ignored, as the RFC allows: the
 * answer is then the whole. So it is for an empty representation, of which no part can be named. A
 * range that starts after the end is unsatisfiable (416). Never throws.
 */
export function parseRange(header: string | undefined, size: number): RequestedRange {
  const found = header === undefined || size === 0 ? null : singleRangePattern.exec(header)
  if (!found) return wholeRange
  const [, first, last, suffix] = found
  if (suffix !== undefined) return partialRange(Math.max(0, size - Number(suffix)), size - 1)
  const start = Number(first)
  const end = last ? Number(last) : Number.POSITIVE_INFINITY
  return end < start ? wholeRange : partialRange(start, Math.min(end, size - 1))
}

/**
 * Whether a `Range` counts, given `If-Range` (RFC 9110 §13.1.5): it names the current tag, compared
 * strongly, or repeats `Last-Modified` to the letter. Without `If-Range` it does.
 * @param tag the `ETag` as the response carries it.
 */
export function isIfRangeMet(
  ifRange: string | undefined,
  tag: string,
  lastModified?: string,
): boolean {
  if (ifRange === undefined) return true
  return ifRange === tag ? !tag.startsWith('W/') : ifRange === lastModified
}

/**
 * The value of `Content-Range` (RFC 9110 §14.4) for a part or for a 416; undefined for the whole.
 */
export function formatContentRange(range: RequestedRange, size: number): string | undefined {
  if (range.kind === 'part') return `bytes ${range.start}-${range.end}/${size}`
  return range.kind === 'unsatisfiable' ? `bytes */${size}` : undefined
}

function partialRange(start: number, end: number): RequestedRange {
  return start > end ? unsatisfiableRange : { kind: 'part', start, end }
}
