/** The bytes that a `Range` header asks for. `start` and `end` count from 0, both inclusive. */
export type RequestedRange =
  | { readonly kind: 'whole' }
  | { readonly kind: 'partial'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' }

const wholeRange: RequestedRange = Object.freeze({ kind: 'whole' })
const unsatisfiableRange: RequestedRange = Object.freeze({ kind: 'unsatisfiable' })
const singleRangePattern = /^bytes=[\t ,]*(?:(\d+)-(\d*)|-(\d+))[\t ,]*$/i

/**
 * Parses a `Range` header for a representation of `size` bytes (RFC 9110 §14.1.2, §14.2). Several
 * ranges, other units and malformed headers are ignored, as the RFC allows; so is any range of an
 * empty representation. A range that starts after the last byte is unsatisfiable (416). Never
 * throws.
 */
export function parseRange(header: string | undefined, size: number): RequestedRange {
  const match = header === undefined || size === 0 ? null : singleRangePattern.exec(header)
  if (!match) return wholeRange
  const [, first, last, suffix] = match
  if (suffix !== undefined) return partialRange(Math.max(0, size - Number(suffix)), size - 1)
  const start = Number(first)
  const end = last ? Number(last) : Number.POSITIVE_INFINITY
  return end < start ? wholeRange : partialRange(start, Math.min(end, size - 1))
}

/**
 * Does `If-Range` allow a partial response (RFC 9110 §13.1.5)? It must have the current tag,
 * compared strongly, or the exact `Last-Modified`.
 * @param tag the `ETag` header of the response
 */
export function isIfRangeMet(
  ifRange: string | undefined,
  tag: string,
  lastModified?: string,
): boolean {
  if (ifRange === undefined) return true
  return ifRange === tag ? !tag.startsWith('W/') : ifRange === lastModified
}

/** The value of `Content-Range` (RFC 9110 §14.4) for a 206 or a 416; undefined for a 200. */
export function formatContentRange(range: RequestedRange, size: number): string | undefined {
  if (range.kind === 'partial') return `bytes ${range.start}-${range.end}/${size}`
  return range.kind === 'unsatisfiable' ? `bytes */${size}` : undefined
}

function partialRange(start: number, end: number): RequestedRange {
  return start > end ? unsatisfiableRange : { kind: 'partial', start, end }
}
