import type { RequestHeaders } from '../api-request.ts'
import { type EntityTag, parseEntityTags } from './entity-tag.ts'

/** Any version, or the versions with these tags. An empty list matches nothing. */
type TagList = 'any' | readonly EntityTag[]

/** The condition of a write. */
export type Precondition =
  | { readonly kind: 'none' }
  | { readonly kind: 'ifMatch'; readonly tags: TagList }
  | { readonly kind: 'ifNoneMatch'; readonly tags: TagList }
  | { readonly kind: 'both'; readonly ifMatch: TagList; readonly ifNoneMatch: TagList }

/** The state that a write would change, read inside its transaction. */
export interface CurrentState {
  readonly exists: boolean
  /**
   * Is it a tag of the current version, in any of its representations? `"a"` and `W/"a"` are
   * different tags.
   */
  matches(tag: EntityTag): boolean
}

const noPrecondition: Precondition = Object.freeze({ kind: 'none' })

/**
 * Is the response to a GET or HEAD a 304? That is so if `If-None-Match` has the current tag,
 * compared weakly, or is `*` (RFC 9110 §13.1.2). `If-Modified-Since` is ignored, because there is
 * no `Last-Modified`.
 * @param tag the `ETag` header of the response; undefined without one, which only `*` matches
 */
export function isNotModified(headers: RequestHeaders, tag: string | undefined): boolean {
  const header = headers['if-none-match']
  if (header === undefined) return false
  if (header === tag) return true
  const named = parseEntityTags(header)
  if (named === 'any') return true
  const value = tag?.slice(tag.indexOf('"') + 1, -1)
  return named.some((one) => one.value === value)
}

/**
 * The condition in the headers of a write (RFC 9110 §13.1). A malformed `If-Match` is never met: a
 * client that wants a condition must not write without one. A malformed `If-None-Match` is always
 * met.
 */
export function parseWritePrecondition(headers: RequestHeaders): Precondition {
  const ifMatch = headers['if-match']
  const ifNoneMatch = headers['if-none-match']
  if (ifMatch === undefined) {
    return ifNoneMatch === undefined
      ? noPrecondition
      : { kind: 'ifNoneMatch', tags: parseEntityTags(ifNoneMatch) }
  }
  const tags = parseEntityTags(ifMatch)
  return ifNoneMatch === undefined
    ? { kind: 'ifMatch', tags }
    : { kind: 'both', ifMatch: tags, ifNoneMatch: parseEntityTags(ifNoneMatch) }
}

/** Can the write happen (else 412)? `If-Match` is checked before `If-None-Match` (§13.2.2). */
export function isPreconditionMet(precondition: Precondition, current: CurrentState): boolean {
  switch (precondition.kind) {
    case 'none':
      return true
    case 'ifMatch':
      return matchesStrongly(precondition.tags, current)
    case 'ifNoneMatch':
      return !matchesWeakly(precondition.tags, current)
    case 'both':
      return (
        matchesStrongly(precondition.ifMatch, current) &&
        !matchesWeakly(precondition.ifNoneMatch, current)
      )
  }
}

/** The header whose condition is not met; undefined if the write can happen. */
export function failedPreconditionHeader(
  precondition: Precondition,
  current: CurrentState,
): 'If-Match' | 'If-None-Match' | undefined {
  if (isPreconditionMet(precondition, current)) return undefined
  if (precondition.kind === 'both')
    return matchesStrongly(precondition.ifMatch, current) ? 'If-None-Match' : 'If-Match'
  return precondition.kind === 'ifNoneMatch' ? 'If-None-Match' : 'If-Match'
}

function matchesStrongly(tags: TagList, current: CurrentState): boolean {
  return (
    current.exists && (tags === 'any' || tags.some((tag) => !tag.isWeak && current.matches(tag)))
  )
}

function matchesWeakly(tags: TagList, current: CurrentState): boolean {
  if (!current.exists || tags === 'any') return current.exists
  return tags.some(
    (tag) => current.matches(tag) || current.matches({ ...tag, isWeak: !tag.isWeak }),
  )
}
