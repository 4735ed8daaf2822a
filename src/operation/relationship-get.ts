import type { QueryPlan } from '../query/query-plan.ts'
import { linkageOf, linkedIds } from '../store/linkage.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { findOwner, relatedTo } from './find-owner.ts'
import { getList } from './get-list.ts'
import type { ListJob, Result, ThroughJob } from './job.ts'

/** RelationshipGet: which items the one in the path relates to; of those, the ones that the caller may see. */
export async function relationshipGet(job: ListJob & ThroughJob): Promise<Result> {
  const { relation } = job.through
  const owner = await findOwner(job.store, job)
  if (job.page.kind !== 'none') return getList({ ...job, plan: { ...job.plan, condition: relatedTo(owner, job) } })
  const ids = await linkage(job, owner)
  const total = job.withCount ? ids.length : undefined
  return { kind: 'linkage', owner, ids, many: relation.kind !== 'toOne', total, whole: isWhole(job) }
}

/** All identifiers; of the items, which may be many and large, nothing else is kept. */
async function linkage(job: ListJob & ThroughJob, owner: StoredItem): Promise<readonly string[]> {
  const { plan, through } = job
  const inOrder = plan.sort.length === 0
  const held = through.relation.kind === 'inverse' ? undefined : linkedIds(linkageOf(owner), through.relation)
  // Where nothing narrows or sorts the items, what the owner holds needs no look at them.
  if (held && (held.length === 0 || (inOrder && plan.condition.kind === 'always'))) return held
  const ids = await idsOf(job, { ...plan, condition: relatedTo(owner, job) })
  if (!held || !inOrder) return ids
  // A relation that the item holds has an order of its own.
  const found = new Set(ids)
  return held.filter((id) => found.has(id))
}

async function idsOf({ store, view }: ListJob, plan: QueryPlan): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const batch of store.list(view.model, plan)) for (const item of batch) ids.push(item.id)
  return ids
}

/** Whether the client asked for the linkage as it is. */
function isWhole({ context }: ListJob): boolean {
  return context.request.query === ''
}
