import { maxQueryLength } from '../../http/query-string.ts'
import type { Rule } from '../rule.ts'

/** How long the parameters of a request may be, and how long links may repeat them. */
export interface QueryBounds {
  /** Characters of the whole text. */
  readonly maxLength: number
  /** Characters that links repeat, as they write them. A longer query is in no link. */
  readonly maxLinkedLength: number
}

/** Characters of the parameters that links of a response to QUERY repeat. */
export const maxLinkedQueryLength = 2_000

/** Who can send an address can follow one as long. */
export const boundsInAddresses: QueryBounds = Object.freeze({
  maxLength: maxQueryLength,
  maxLinkedLength: Number.POSITIVE_INFINITY,
})

/**
 * The bytes of a body are limited where it is read. Clients, proxies and browsers take addresses of
 * 2 000 characters, and a `Link` header with four of them.
 */
const boundsInBodies: QueryBounds = Object.freeze({
  maxLength: Number.POSITIVE_INFINITY,
  maxLinkedLength: maxLinkedQueryLength,
})

/** Those who wait for changes keep their filter, so it is not longer than that of an address. */
const boundsOfChanges: QueryBounds = Object.freeze({
  maxLength: maxQueryLength,
  maxLinkedLength: maxLinkedQueryLength,
})

export function queryBoundsOf({
  request,
  response,
}: Pick<Rule, 'request' | 'response'>): QueryBounds {
  if (request.kind !== 'query') return boundsInAddresses
  return response.content === 'changes' ? boundsOfChanges : boundsInBodies
}
