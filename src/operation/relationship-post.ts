import { changeLinkage } from './change-linkage.ts'
import type { BodyJob, Result, ThroughJob } from './job.ts'

/** RelationshipPost: adds to a relation to many what it does not hold yet. */
export function relationshipPost(job: BodyJob & ThroughJob): Promise<Result> {
  return changeLinkage(job, 'add')
}
