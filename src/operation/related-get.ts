import { findOwner, relatedTo } from './find-owner.ts'
import { getList } from './get-list.ts'
import type { ListJob, Result, ThroughJob } from './job.ts'

/** RelatedGet: the items that the one in the path relates to: a list, or one item or none. */
export async function relatedGet(job: ListJob & ThroughJob): Promise<Result> {
  const owner = await findOwner(job.store, job)
  const condition = relatedTo(owner, job)
  if (job.through.relation.kind !== 'toOne') return getList({ ...job, plan: { ...job.plan, condition } })
  const item = condition.kind === 'never' ? undefined : await job.store.find(job.view.model, condition)
  return item ? { kind: 'item', item } : { kind: 'nothing', owner }
}
