import type { Headers } from './api-request.ts'
import { type EntityTag, parseTags } from './entity-tag.ts'

/** What a header names: any version at all, or these. An empty list names nothing. */
export type NamedTags = 'any' | readonly EntityTag[]

/** Under which condition a write may happen. */
export type Precondition =
  | { readonly kind: 'none' }
  | { readonly kind: 'ifMatch'; readonly tags: NamedTags }
  | { readonly kind: 'ifNoneMatch'; readonly tags: NamedTags }
  | { readonly kind: 'both'; readonly ifMatch: NamedTags; readonly ifNoneMatch: NamedTags }

/** The state that a write would change, as seen inside the write's transaction. */
export interface CurrentState {
  readonly exists: boolean
  /**
   * Whether this is a tag of the current version, in any of its representations. Weakness counts as part of the tag:
   * `"a"` and `W/"a"` are two, so `currentTags.includes(formatTag(tag))` is a right answer.
   */
  matches(tag: EntityTag): boolean
}

const none: Precondition = Object.freeze({ kind: 'none' })

/**
 * Whether a GET or HEAD is answered with 304: `If-None-Match` names the current tag, compared weakly, or is `*`
 * (RFC 9110 §13.1.2). What is malformed matches nothing. `If-Modified-Since` is not read: tags are the only validators here.
 * @param tag the `ETag` as the response carries it; undefined when it carries none, which only `*` matches.
 */
export function notModified(headers: Headers, tag: string | undefined): boolean {
  const header = headers['if-none-match']
  if (header === undefined) return false
  if (header === tag) return true
  const named = parseTags(header)
  if (named === 'any') return true
  const value = tag?.slice(tag.indexOf('"') + 1, -1)
  return named.some((one) => one.value === value)
}

/**
 * The condition that a write's headers state (RFC 9110 §13.1). An `If-Match` that is empty or malformed still is one: it
 * names nothing, so it never holds. A writer that asks for a guard and spells it wrongly must not write unguarded. An
 * `If-None-Match` that names nothing excludes nothing and always holds.
 */
export function writePrecondition(headers: Headers): Precondition {
  const ifMatch = headers['if-match']
  const ifNoneMatch = headers['if-none-match']
  if (ifMatch === undefined) {
    return ifNoneMatch === undefined ? none : { kind: 'ifNoneMatch', tags: parseTags(ifNoneMatch) }
  }
  const tags = parseTags(ifMatch)
  return ifNoneMatch === undefined
    ? { kind: 'ifMatch', tags }
    : { kind: 'both', ifMatch: tags, ifNoneMatch: parseTags(ifNoneMatch) }
}

/** Whether the write may happen, `If-Match` being asked before `If-None-Match` (RFC 9110 §13.2.2); if not, the answer is 412. */
export function holds(precondition: Precondition, current: CurrentState): boolean {
  switch (precondition.kind) {
    case 'none':
      return true
    case 'ifMatch':
      return namesStrongly(precondition.tags, current)
    case 'ifNoneMatch':
      return !namesWeakly(precondition.tags, current)
    case 'both':
      return namesStrongly(precondition.ifMatch, current) && !namesWeakly(precondition.ifNoneMatch, current)
  }
}

/** The header by which the write may not happen; undefined where it may. */
export function refusingHeader(
  precondition: Precondition,
  current: CurrentState,
): 'If-Match' | 'If-None-Match' | undefined {
  if (holds(precondition, current)) return undefined
  if (precondition.kind === 'both') return namesStrongly(precondition.ifMatch, current) ? 'If-None-Match' : 'If-Match'
  return precondition.kind === 'ifNoneMatch' ? 'If-None-Match' : 'If-Match'
}

function namesStrongly(tags: NamedTags, current: CurrentState): boolean {
  return current.exists && (tags === 'any' || tags.some((tag) => !tag.weak && current.matches(tag)))
}

function namesWeakly(tags: NamedTags, current: CurrentState): boolean {
  if (!current.exists || tags === 'any') return current.exists
  return tags.some((tag) => current.matches(tag) || current.matches({ ...tag, weak: !tag.weak }))
}
