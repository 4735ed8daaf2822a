import { refuse, refuseAll } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import { truncate } from '../error/truncate.ts'
import { toWellFormed } from './percent-encoding.ts'

/**
 * One parameter of a query string: `filter[price][gte]=10` is of the family `filter` with the path
 * `['price', 'gte']`.
 */
export interface QueryParameterEntry {
  /** The whole name, decoded. */
  readonly key: string
  /** The name before the first bracket. */
  readonly baseName: string
  /** What the brackets hold; `[]` gives an empty member. */
  readonly path: readonly string[]
  /** Decoded; empty without an equals sign. */
  readonly value: string
}

export const maxQueryLength = 32_768
export const maxParameters = 200
export const maxParameterName = 512

const noEntries: readonly QueryParameterEntry[] = Object.freeze([])
const noPath: readonly string[] = Object.freeze([])
const bracketedName = /^([^[\]]*)((?:\[[^[\]]*\])*)$/
const loneSurrogate = /\p{Surrogate}/u

/**
 * Reads a query string as forms are encoded (WHATWG URL §5.1), in the order sent: `+` is a space,
 * brackets mean the same raw and encoded (JSON:API 1.1, query parameter families), empty parameters
 * are skipped, repeated ones stay.
 * @throws ApiError all faults at once: `malformed-query` for a bad escape, bytes that are not UTF-8
 * and brackets that do not pair; `limit-exceeded` beyond 32 KiB, 200 parameters or 512 characters
 * in a name.
 */
export function parseQuery(query: string): readonly QueryParameterEntry[] {
  if (query === '') return noEntries
  if (query.length > maxQueryLength) {
    throw refuse('limit-exceeded', 'The query string is longer than 32 KiB.', undefined, {
      meta: { limit: maxQueryLength },
    })
  }
  const entries: QueryParameterEntry[] = []
  const faults: Problem[] = []
  for (const segment of splitSegments(query, faults)) {
    const equals = segment.indexOf('=')
    const rawKey = equals < 0 ? segment : segment.slice(0, equals)
    const key = decodeComponent(rawKey)
    const value = equals < 0 ? '' : decodeComponent(segment.slice(equals + 1))
    if (key === undefined) faults.push(undecodableProblem('name', rawKey))
    if (value === undefined) faults.push(undecodableProblem('value', key ?? rawKey))
    if (key === undefined || value === undefined) continue
    const entry = parseEntry(key, value)
    if ('code' in entry) faults.push(entry)
    else entries.push(entry)
  }
  refuseAll(faults)
  return entries
}

/**
 * The query string of these names and values, in this order. Brackets are encoded, as names must be
 * sent (JSON:API 1.1), while `,` `.` `-` `_` stay readable. Lone surrogates become U+FFFD.
 */
export function formatQuery(entries: readonly (readonly [string, string])[]): string {
  return entries
    .map(([key, value]) => `${encodeComponent(key)}=${encodeComponent(value)}`)
    .join('&')
}

function* splitSegments(query: string, faults: Problem[]): Generator<string> {
  let count = 0
  for (let at = 0; at < query.length; ) {
    const ampersand = query.indexOf('&', at)
    const end = ampersand < 0 ? query.length : ampersand
    if (end > at && ++count > maxParameters) {
      faults.push(
        limitExceeded(`The query string has more than ${maxParameters} parameters.`, maxParameters),
      )
      return
    }
    if (end > at) yield query.slice(at, end)
    at = end + 1
  }
}

function parseEntry(key: string, value: string): QueryParameterEntry | Problem {
  if (key.length > maxParameterName) {
    return limitExceeded(
      `A parameter name has more than ${maxParameterName} characters.`,
      maxParameterName,
      key,
    )
  }
  if (!key.includes('[') && !key.includes(']')) return { key, baseName: key, path: noPath, value }
  const [, family, brackets] = bracketedName.exec(key) ?? []
  if (family === undefined || !brackets) {
    return malformedQuery(
      'The brackets of the parameter name do not pair, as they do in "filter[price][gte]".',
      key,
    )
  }
  return { key, baseName: family, path: brackets.slice(1, -1).split(']['), value }
}

/**
 * Undefined for a bad escape, and for anything that is not UTF-8: overlong forms and surrogates
 * too.
 */
function decodeComponent(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (loneSurrogate.test(spaced)) return undefined
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    return undefined
  }
}

function encodeComponent(text: string): string {
  return encodeURIComponent(toWellFormed(text)).replaceAll('%2C', ',')
}

function undecodableProblem(part: 'name' | 'value', key: string): Problem {
  return malformedQuery(`The ${part} of the parameter is not percent-encoded UTF-8.`, key)
}

function malformedQuery(detail: string, key: string): Problem {
  return problem('malformed-query', detail, { parameter: displayName(key) })
}

function limitExceeded(detail: string, limit: number, key?: string): Problem {
  return problem(
    'limit-exceeded',
    detail,
    key === undefined ? undefined : { parameter: displayName(key) },
    { limit },
  )
}

/** The name as it can be sent back. */
function displayName(key: string): string {
  return truncate(toWellFormed(key))
}
