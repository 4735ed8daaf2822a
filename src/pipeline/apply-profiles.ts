import { memoizeBy } from '../cache/memoize-by.ts'
import type { Profile } from '../rule/media-type-parameters.ts'
import type { ResponseShape } from '../rule/response-shape.ts'
import type { RouterLimits } from '../rule/router-limits.ts'
import type { Selection } from '../rule/selection.ts'

export const noProfiles: readonly string[] = Object.freeze([])

/** The selection with the profiles that `Accept` requests. The query string takes precedence. */
export function applyProfiles(
  requestedProfiles: readonly Profile[],
  selection: Selection,
  { defaultPageSize }: RouterLimits,
): Selection {
  if (!requestedProfiles.some((profile) => profile.effect === 'cursor-pages')) return selection
  const { page } = selection
  if (page.kind === 'cursor') return { ...selection, hasItemCursors: true }
  if (page.kind !== 'none') return selection
  return {
    ...selection,
    page: { kind: 'cursor', after: undefined, before: undefined, size: defaultPageSize },
    hasItemCursors: true,
  }
}

/** The profiles that the response follows, requested or not. */
export function appliedProfiles(
  { parameters }: ResponseShape,
  { page }: Selection,
): readonly string[] {
  return parameters.kind === 'uris' && page.kind === 'cursor'
    ? profileUris(parameters.profiles)
    : noProfiles
}

/** The same array each time, so that values derived from it can be cached. */
const profileUris = memoizeBy((profiles: readonly Profile[]): readonly string[] =>
  profiles.map(({ uri }) => uri),
)
