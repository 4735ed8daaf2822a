import { memoizeBy } from '../cache/memoize-by.ts'
import type { Profile } from '../rule/media-type-parameters.ts'
import type { RouterLimits } from '../rule/router-limits.ts'
import type { ResponseShape } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'

export const noProfiles: readonly string[] = Object.freeze([])

/**
 * What is selected once the profiles that the client asked for in `Accept` have their say; the
 * query string goes first.
 */
export function applyProfiles(
  asked: readonly Profile[],
  selection: Selection,
  { defaultPageSize }: RouterLimits,
): Selection {
  if (!asked.some((one) => one.effect === 'cursor-pages')) return selection
  const { page } = selection
  if (page.kind === 'cursor') return { ...selection, hasItemCursors: true }
  if (page.kind !== 'none') return selection
  return {
    ...selection,
    page: { kind: 'cursor', after: undefined, before: undefined, size: defaultPageSize },
    hasItemCursors: true,
  }
}

/** The profiles that the answer follows, asked for or not. */
export function appliedProfiles(
  { parameters }: ResponseShape,
  { page }: Selection,
): readonly string[] {
  return parameters.kind === 'uris' && page.kind === 'cursor'
    ? profileUris(parameters.profiles)
    : noProfiles
}

/** The same array each time, so that what is made of it is made once. */
const profileUris = memoizeBy((profiles: readonly Profile[]): readonly string[] =>
  profiles.map(({ uri }) => uri),
)
