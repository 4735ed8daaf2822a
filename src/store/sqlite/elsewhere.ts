import type { ModelDescription } from '../../model/description.ts'
import type { Scans } from './scans.ts'

/** Where long work goes, and for which collections work may be long. */
export interface Elsewhere {
  readonly scans: Scans
  isLarge(model: ModelDescription): boolean
}
