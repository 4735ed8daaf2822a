import {
  appendHeader,
  joinHeaderValues,
  type ResponseHeaders,
} from '../http/headers/response-headers.ts'

export const limitHeaders = ['ratelimit-policy', 'ratelimit'] as const

/** What the headers of a response tell about one limit. */
export interface LimitState {
  readonly name: string
  readonly points: number
  readonly seconds: number
  readonly remainingPoints: number
  readonly secondsUntilReset: number
}

/**
 * The headers with this limit: beside other limits, and in place of an earlier state of the same
 * one (draft-ietf-httpapi-ratelimit-headers-10).
 */
export function withLimitHeaders(headers: ResponseHeaders, state: LimitState): ResponseHeaders {
  const { name, points, seconds, remainingPoints, secondsUntilReset } = state
  const withPolicy = withMember(headers, 'ratelimit-policy', name, `q=${points};w=${seconds}`)
  return withMember(withPolicy, 'ratelimit', name, `r=${remainingPoints};t=${secondsUntilReset}`)
}

function withMember(
  headers: ResponseHeaders,
  header: string,
  name: string,
  parameters: string,
): ResponseHeaders {
  const member = `"${name}";${parameters}`
  const list = joinHeaderValues(headers[header])
  // Names have no quotes, so a quoted name with a semicolon is the start of a member.
  const start = list?.indexOf(`"${name}";`) ?? -1
  if (list === undefined || start === -1) return appendHeader(headers, header, member)
  const end = list.indexOf(', "', start)
  const rest = end === -1 ? '' : list.slice(end)
  return { ...headers, [header]: list.slice(0, start) + member + rest }
}
