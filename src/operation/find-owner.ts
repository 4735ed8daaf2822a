import { both, hasAnyId, never, relatesTo } from '../query/conditions.ts'
import type { Condition } from '../query/query-plan.ts'
import { linkageOf, linkedIds } from '../store/linkage.ts'
import type { StoreReader } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { findItem } from './find-item.ts'
import type { Job, ThroughJob } from './job.ts'

/** The same job, done on the item in the path rather than on those it relates to. */
export function ownerJob<J extends Job & ThroughJob>(job: J): J {
  return { ...job, view: job.through.view, plan: job.owner }
}

/** The item in the path. @throws ApiError `not-found` */
export function findOwner(reader: StoreReader, job: Job & ThroughJob): Promise<StoredItem> {
  return findItem(reader, ownerJob(job))
}

/** What the items that the owner relates to satisfy, beside what the operation may touch at all. */
export function relatedTo(owner: StoredItem, { plan, through: { relation } }: Job & ThroughJob): Condition {
  if (relation.kind === 'inverse')
    return both(plan.condition, relatesTo(relation.of.name, relation.of.kind, [owner.id]))
  const ids = linkedIds(linkageOf(owner), relation)
  return ids.length === 0 ? never : both(plan.condition, hasAnyId(ids))
}
