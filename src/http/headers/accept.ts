import { type MediaType, parseMediaType, readMediaType } from './media-type.ts'

/** A member of `Accept`: a media range (`text/*`) in lower case, its parameters, and its weight. */
export interface AcceptRange {
  readonly range: string
  readonly parameters: ReadonlyMap<string, string>
  readonly q: number
}

const maxLength = 64 * 1024
export const maxAcceptMembers = 100
const weight = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * The media ranges of an `Accept` header in their order (RFC 9110 §12.5.1). Malformed members are
 * skipped, and so are members after the hundredth or after 64 KiB. The weight `q` may be at any
 * position. Never throws.
 */
export function parseAccept(header: string): readonly AcceptRange[] {
  const ranges: AcceptRange[] = []
  let members = 0
  for (let at = 0; at < header.length && at < maxLength && members < maxAcceptMembers; ) {
    at = skipSpace(header, at)
    const mediaType = readMediaType(header, at)
    const end = mediaType ? skipSpace(header, mediaType.end) : at
    const isComplete = end >= header.length || header[end] === ','
    const range = mediaType && isComplete ? toAcceptRange(mediaType) : undefined
    if (range) ranges.push(range)
    const comma = isComplete ? end : findMemberEnd(header, at)
    if (comma > at) members++
    at = comma + 1
  }
  return ranges
}

/**
 * Does the client accept this media type? The most specific range that matches decides, so `q=0`
 * there excludes it (RFC 9110 §12.5.1). Without a valid range, everything is accepted.
 */
export function accepts(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header === '*/*' || header === mediaType) return true
  const ranges = parseAccept(header)
  return ranges.length === 0 || qualityOf(ranges, mediaType) > 0
}

/**
 * The quality of a media type, from 0 (not acceptable) to 1. A range matches if the type has all
 * its parameters; `charset=utf-8` matches every type, because all text is UTF-8.
 */
export function qualityOf(ranges: readonly AcceptRange[], mediaType: string): number {
  const offered = parseMediaType(mediaType) ?? {
    type: mediaType,
    parameters: new Map<string, string>(),
  }
  let best = -1
  let quality = 0
  for (const range of ranges) {
    const specificity = specificityOf(range, offered)
    if (specificity < best || specificity < 0) continue
    quality = specificity > best ? range.q : Math.max(quality, range.q)
    best = specificity
  }
  return quality
}

/** A higher number is more specific; -1 if the range does not match the type. */
function specificityOf({ range, parameters }: AcceptRange, offered: MediaType): number {
  for (const [name, value] of parameters) {
    const isUtf8 = name === 'charset' && value.toLowerCase() === 'utf-8'
    if (offered.parameters.get(name) !== value && !isUtf8) return -1
  }
  if (range === offered.type) return 2 + parameters.size
  if (range === '*/*') return 0
  return range.endsWith('/*') && offered.type.startsWith(range.slice(0, -1)) ? 1 : -1
}

function toAcceptRange({ type, parameters }: MediaType): AcceptRange | undefined {
  if (type.startsWith('*/') && type !== '*/*') return undefined
  const q = parameters.get('q')
  if (q === undefined) return { range: type, parameters, q: 1 }
  if (!weight.test(q)) return undefined
  const withoutWeight = new Map(parameters)
  withoutWeight.delete('q')
  return { range: type, parameters: withoutWeight, q: Number(q) }
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}

/** A comma inside a quoted string does not end a member. */
function findMemberEnd(text: string, start: number): number {
  let isQuoted = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (isQuoted && character === '\\') at++
    else if (character === '"') isQuoted = !isQuoted
    else if (character === ',' && !isQuoted) return at
  }
  return text.length
}

/** Does the client name HTML, as browsers do, and prefer nothing to it? */
export function acceptsHtml(header: string | undefined): boolean {
  if (!header?.toLowerCase().includes('text/html')) return false
  const ranges = parseAccept(header)
  const quality = qualityOf(ranges, 'text/html')
  return quality > 0 && quality >= qualityOf(ranges, 'application/json')
}
