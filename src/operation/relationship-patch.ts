import { changeLinkage } from './change-linkage.ts'
import type { BodyJob, Result, ThroughJob } from './job.ts'

/** RelationshipPatch: replaces what a relation holds; null clears it. */
export function relationshipPatch(job: BodyJob & ThroughJob): Promise<Result> {
  return changeLinkage(job, 'replace')
}
