import { type MediaType, parseMediaType, readMediaType } from './media-type.ts'

/**
 * A member of `Accept`: a lower-cased range (`text/*`), its parameters but for the weight, and the
 * weight from 0 to 1.
 */
export interface AcceptRange {
  readonly range: string
  readonly parameters: ReadonlyMap<string, string>
  readonly q: number
}

const maxLength = 64 * 1024
export const maxAcceptMembers = 100
const weight = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

/**
 * The ranges of an `Accept` header in the order sent (RFC 9110 §12.5.1). Malformed members are
 * skipped, as are those after the hundredth and those that start after 64 KiB. The weight is found
 * wherever `q` stands. Never throws.
 */
export function parseAccept(header: string): readonly AcceptRange[] {
  const ranges: AcceptRange[] = []
  let members = 0
  for (let at = 0; at < header.length && at < maxLength && members < maxAcceptMembers; ) {
    at = skipSpace(header, at)
    const found = readMediaType(header, at)
    const end = found ? skipSpace(header, found.end) : at
    const complete = end >= header.length || header[end] === ','
    const range = found && complete ? toAcceptRange(found) : undefined
    if (range) ranges.push(range)
    const comma = complete ? end : findMemberEnd(header, at)
    if (comma > at) members++
    at = comma + 1
  }
  return ranges
}

/**
 * Whether a representation of this media type may be sent. The most specific range that fits
 * decides, so `q=0` there excludes (RFC 9110 §12.5.1). Without the header, or when nothing in it
 * can be read, everything may.
 */
export function accepts(header: string | undefined, mediaType: string): boolean {
  if (header === undefined || header === '*/*' || header === mediaType) return true
  const ranges = parseAccept(header)
  return ranges.length === 0 || qualityOf(ranges, mediaType) > 0
}

/**
 * How welcome a media type is, from 0 (not at all) to 1. A range fits when the type has all its
 * parameters; `charset=utf-8` fits every type, since nothing else is ever sent.
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

/** The higher, the more specific; -1 when the range does not contain the type. */
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
  const others = new Map(parameters)
  others.delete('q')
  return { range: type, parameters: others, q: Number(q) }
}

function skipSpace(text: string, start: number): number {
  let at = start
  while (text[at] === ' ' || text[at] === '\t') at++
  return at
}

/** Commas inside quoted strings do not end a member. */
function findMemberEnd(text: string, start: number): number {
  let quoted = false
  for (let at = start; at < text.length; at++) {
    const character = text[at]
    if (quoted && character === '\\') at++
    else if (character === '"') quoted = !quoted
    else if (character === ',' && !quoted) return at
  }
  return text.length
}
