import { refuse, refuseAll } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import { shortened } from '../error/shortened.ts'
import { wellFormed } from './header-value.ts'

/** One parameter of a query string: `filter[price][gte]=10` is of the family `filter` with the path `['price', 'gte']`. */
export interface QueryEntry {
  /** The whole name, decoded. */
  readonly key: string
  /** The name before the first bracket. */
  readonly family: string
  /** What the brackets hold; `[]` gives an empty member. */
  readonly path: readonly string[]
  /** Decoded; empty without an equals sign. */
  readonly value: string
}

export const maxQueryLength = 32_768
export const maxParameters = 200
export const maxParameterName = 512

const noEntries: readonly QueryEntry[] = Object.freeze([])
const noPath: readonly string[] = Object.freeze([])
const familyMember = /^([^[\]]*)((?:\[[^[\]]*\])*)$/
const loneSurrogate = /\p{Surrogate}/u

/**
 * Reads a query string as forms are encoded (WHATWG URL §5.1), in the order sent: `+` is a space, brackets mean the same
 * raw and encoded (JSON:API 1.1, query parameter families), empty parameters are skipped, repeated ones stay.
 * @throws ApiError all faults at once: `malformed-query` for a bad escape, bytes that are not UTF-8 and brackets that do
 * not pair; `limit-exceeded` beyond 32 KiB, 200 parameters or 512 characters in a name.
 */
export function parseQuery(query: string): readonly QueryEntry[] {
  if (query === '') return noEntries
  if (query.length > maxQueryLength) {
    throw refuse('limit-exceeded', 'The query string is longer than 32 KiB.', undefined, {
      meta: { limit: maxQueryLength },
    })
  }
  const entries: QueryEntry[] = []
  const faults: Problem[] = []
  for (const segment of segmentsOf(query, faults)) {
    const equals = segment.indexOf('=')
    const rawKey = equals < 0 ? segment : segment.slice(0, equals)
    const key = decoded(rawKey)
    const value = equals < 0 ? '' : decoded(segment.slice(equals + 1))
    if (key === undefined) faults.push(undecodable('name', rawKey))
    if (value === undefined) faults.push(undecodable('value', key ?? rawKey))
    if (key === undefined || value === undefined) continue
    const entry = entryOf(key, value)
    if ('code' in entry) faults.push(entry)
    else entries.push(entry)
  }
  refuseAll(faults)
  return entries
}

/**
 * The query string of these names and values, in this order. Brackets are encoded, as names must be sent (JSON:API 1.1),
 * while `,` `.` `-` `_` stay readable. Lone surrogates become U+FFFD.
 */
export function formatQuery(entries: readonly (readonly [string, string])[]): string {
  return entries.map(([key, value]) => `${encoded(key)}=${encoded(value)}`).join('&')
}

function* segmentsOf(query: string, faults: Problem[]): Generator<string> {
  let count = 0
  for (let at = 0; at < query.length; ) {
    const ampersand = query.indexOf('&', at)
    const end = ampersand < 0 ? query.length : ampersand
    if (end > at && ++count > maxParameters) {
      faults.push(limitExceeded(`The query string has more than ${maxParameters} parameters.`, maxParameters))
      return
    }
    if (end > at) yield query.slice(at, end)
    at = end + 1
  }
}

function entryOf(key: string, value: string): QueryEntry | Problem {
  if (key.length > maxParameterName) {
    return limitExceeded(`A parameter name has more than ${maxParameterName} characters.`, maxParameterName, key)
  }
  if (!key.includes('[') && !key.includes(']')) return { key, family: key, path: noPath, value }
  const [, family, brackets] = familyMember.exec(key) ?? []
  if (family === undefined || !brackets) {
    return malformed('The brackets of the parameter name do not pair, as they do in "filter[price][gte]".', key)
  }
  return { key, family, path: brackets.slice(1, -1).split(']['), value }
}

/** Undefined for a bad escape, and for anything that is not UTF-8: overlong forms and surrogates too. */
function decoded(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (loneSurrogate.test(spaced)) return undefined
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}

function encoded(text: string): string {
  return encodeURIComponent(wellFormed(text)).replaceAll('%2C', ',')
}

function undecodable(part: 'name' | 'value', key: string): Problem {
  return malformed(`The ${part} of the parameter is not percent-encoded UTF-8.`, key)
}

function malformed(detail: string, key: string): Problem {
  return problem('malformed-query', detail, { parameter: told(key) })
}

function limitExceeded(detail: string, limit: number, key?: string): Problem {
  return problem('limit-exceeded', detail, key === undefined ? undefined : { parameter: told(key) }, { limit })
}

/** The name as it can be sent back. */
function told(key: string): string {
  return shortened(wellFormed(key))
}
