import { changeLinkage } from './change-linkage.ts'
import type { BodyJob, Result, ThroughJob } from './job.ts'

/** RelationshipDelete: takes the identifiers out of a relation to many; those it does not hold are passed over. */
export function relationshipDelete(job: BodyJob & ThroughJob): Promise<Result> {
  return changeLinkage(job, 'remove')
}
