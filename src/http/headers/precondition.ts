import type { RequestHeaders } from '../api-request.ts'
import { type EntityTag, parseEntityTags } from './entity-tag.ts'

/** What a header names: any version at all, or these. An empty list names nothing. */
export type TagList = 'any' | readonly EntityTag[]

/** Under which condition a write may happen. */
export type Precondition =
  | { readonly kind: 'none' }
  | { readonly kind: 'ifMatch'; readonly tags: TagList }
  | { readonly kind: 'ifNoneMatch'; readonly tags: TagList }
  | { readonly kind: 'both'; readonly ifMatch: TagList; readonly ifNoneMatch: TagList }

/** The state that a write would change, as seen inside the write's transaction. */
export interface CurrentState {
  readonly exists: boolean
  /**
   * Whether this is a tag of the current version, in any of its representations. Weakness counts as
   * part of the tag: `"a"` and `W/"a"` are two, so `currentTags.includes(formatTag(tag))` is a
   * right answer.
   */
  matches(tag: EntityTag): boolean
}

const noPrecondition: Precondition = Object.freeze({ kind: 'none' })

/**
 * Whether a GET or HEAD is answered with 304: `If-None-Match` names the current tag, compared
 * weakly, or is `*` (RFC 9110 §13.1.2). What is malformed matches nothing. `If-Modified-Since` is
 * not read: tags are the only validators here.
 * @param tag the `ETag` as the response carries it; undefined when it carries none, which only `*`
 * matches.
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
 * The condition that a write's headers state (RFC 9110 §13.1). An `If-Match` that is empty or
 * malformed still is one: it names nothing, so it never holds. A writer that asks for a guard and
 * spells it wrongly must not write unguarded. An `If-None-Match` that names nothing excludes
 * nothing and always holds.
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

/**
 * Whether the write may happen, `If-Match` being asked before `If-None-Match` (RFC 9110 §13.2.2);
 * if not, the answer is 412.
 */
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

/** The header by which the write may not happen; undefined where it may. */
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
