import { oncePer } from '../cache/once-per.ts'
import type { Limits } from '../rule/limits.ts'
import type { Profile } from '../rule/media.ts'
import type { ResponseShape } from '../rule/rule.ts'
import type { Selection } from '../rule/selection.ts'

export const noProfiles: readonly string[] = Object.freeze([])

/** What is selected once the profiles that the client asked for in `Accept` have their say; the query string goes first. */
export function follow(asked: readonly Profile[], selection: Selection, { pageSize }: Limits): Selection {
  if (!asked.some((one) => one.effect === 'cursor-pages')) return selection
  const { page } = selection
  if (page.kind === 'cursor') return { ...selection, tellsPlaces: true }
  if (page.kind !== 'none') return selection
  return {
    ...selection,
    page: { kind: 'cursor', after: undefined, before: undefined, size: pageSize },
    tellsPlaces: true,
  }
}

/** The profiles that the answer follows, asked for or not. */
export function followed({ parameters }: ResponseShape, { page }: Selection): readonly string[] {
  return parameters.kind === 'uris' && page.kind === 'cursor' ? urisOf(parameters.profiles) : noProfiles
}

/** The same array each time, so that what is made of it is made once. */
const urisOf = oncePer((profiles: readonly Profile[]): readonly string[] => profiles.map(({ uri }) => uri))
