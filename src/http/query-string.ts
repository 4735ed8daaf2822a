import { refuse, refuseAll } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import { truncate } from '../error/truncate.ts'
import { toWellFormed } from './percent-encoding.ts'

/**
 * One parameter: `filter[price][gte]=10` has the base name `filter` and the path `price`, `gte`.
 */
export interface QueryParameterEntry {
  /** The whole name, decoded. */
  readonly key: string
  /** The name before the first bracket. */
  readonly baseName: string
  /** The contents of the brackets; `[]` is an empty string. */
  readonly path: readonly string[]
  /** Decoded; empty if there is no equals sign. */
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
 * Parses a query string as `application/x-www-form-urlencoded` (WHATWG URL §5.1), in its order: `+`
 * is a space, brackets may be percent-encoded (JSON:API 1.1, query parameter families), empty
 * parameters are skipped, repeated ones are kept.
 * @throws ApiError with all problems: `malformed-query` for an invalid escape, invalid UTF-8 and
 * unbalanced brackets; `limit-exceeded` beyond 32 KiB, 200 parameters or 512 characters in a name.
 */
export function parseQuery(
  query: string,
  maxLength: number = maxQueryLength,
): readonly QueryParameterEntry[] {
  if (query === '') return noEntries
  if (query.length > maxLength) {
    const detail = `The query string must have at most ${maxLength} characters.`
    refuse('limit-exceeded', detail, undefined, { meta: { limit: maxLength } })
  }
  const entries: QueryParameterEntry[] = []
  const problems: Problem[] = []
  for (const segment of splitSegments(query, problems)) {
    const equals = segment.indexOf('=')
    const rawKey = equals < 0 ? segment : segment.slice(0, equals)
    const key = decodeComponent(rawKey)
    const value = equals < 0 ? '' : decodeComponent(segment.slice(equals + 1))
    if (key === undefined) problems.push(undecodableProblem('name', rawKey))
    if (value === undefined) problems.push(undecodableProblem('value', key ?? rawKey))
    if (key === undefined || value === undefined) continue
    const entry = parseEntry(key, value)
    if ('code' in entry) problems.push(entry)
    else entries.push(entry)
  }
  refuseAll(problems)
  return entries
}

/**
 * The query string of names and values, in their order. Brackets are encoded (JSON:API 1.1), while
 * `,` `.` `-` `_` stay readable. Lone surrogates become U+FFFD.
 */
export function formatQuery(entries: readonly (readonly [string, string])[]): string {
  return entries
    .map(([key, value]) => `${encodeComponent(key)}=${encodeComponent(value)}`)
    .join('&')
}

function* splitSegments(query: string, problems: Problem[]): Generator<string> {
  let count = 0
  for (let start = 0; start < query.length; ) {
    const ampersand = query.indexOf('&', start)
    const end = ampersand < 0 ? query.length : ampersand
    if (end > start && ++count > maxParameters) {
      problems.push(
        limitExceeded(
          `The query string must have at most ${maxParameters} parameters.`,
          maxParameters,
        ),
      )
      return
    }
    if (end > start) yield query.slice(start, end)
    start = end + 1
  }
}

function parseEntry(key: string, value: string): QueryParameterEntry | Problem {
  if (key.length > maxParameterName) {
    return limitExceeded(
      `The name of a parameter must have at most ${maxParameterName} characters.`,
      maxParameterName,
      key,
    )
  }
  if (!key.includes('[') && !key.includes(']')) return { key, baseName: key, path: noPath, value }
  const [, baseName, brackets] = bracketedName.exec(key) ?? []
  if (baseName === undefined || !brackets) {
    return malformedQuery(
      "The name of a parameter has unbalanced brackets. Write it as in 'filter[price][gte]'.",
      key,
    )
  }
  return { key, baseName, path: brackets.slice(1, -1).split(']['), value }
}

/** Undefined for an invalid escape or invalid UTF-8, also overlong forms and surrogates. */
function decodeComponent(text: string): string | undefined {
  const withSpaces = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (loneSurrogate.test(withSpaces)) return undefined
  if (!withSpaces.includes('%')) return withSpaces
  try {
    return decodeURIComponent(withSpaces)
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

/** The name, safe to quote in a response. */
function displayName(key: string): string {
  return truncate(toWellFormed(key))
}
