import type { RequestHeaders } from '../http/api-request.ts'
import { splitPreferences } from '../http/headers/prefer.ts'
import { respondAsync } from '../pipeline/deferral.ts'

/** Those that say what the request means. Credentials are not among them. */
const meaning = [
  'accept',
  'accept-language',
  'content-language',
  'content-type',
  'if-match',
  'if-none-match',
  'if-unmodified-since',
]

/** Preferences about the response, which has been sent when a job begins. */
const ofResponse: ReadonlySet<string> = new Set([respondAsync, 'return'])

/** The headers that a job keeps of its request. */
export function keptHeaders(
  headers: RequestHeaders,
  others: readonly string[],
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {}
  for (const name of [...meaning, ...others]) {
    const value = headers[name]
    if (value !== undefined) kept[name] = value
  }
  const prefer = splitPreferences(headers.prefer ?? '').filter(({ name }) => !ofResponse.has(name))
  if (prefer.length > 0) kept.prefer = prefer.map(({ text }) => text).join(',')
  return kept
}
