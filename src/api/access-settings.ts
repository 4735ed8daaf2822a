import type { Feature } from '../feature/feature.ts'

/** What the options of a router say about access. */
export interface AccessSettings {
  /** May nothing be done where no rule says so? */
  readonly isClosed: boolean
  readonly features: readonly Feature[]
}
