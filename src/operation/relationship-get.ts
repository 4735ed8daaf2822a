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
  const plan = { ...job.plan, condition: relatedTo(owner, job) }
  if (job.page.kind !== 'none') return getList({ ...job, plan })
  const items = plan.condition.kind === 'never' ? [] : await all(job, plan)
  const total = job.withCount ? items.length : undefined
  const ordered = relation.kind === 'inverse' || plan.sort.length > 0 ? items : inOrderOf(owner, job, items)
  return { kind: 'linkage', owner, items: ordered, many: relation.kind !== 'toOne', total, whole: isWhole(job) }
}

async function all({ store, view }: ListJob, plan: QueryPlan): Promise<readonly StoredItem[]> {
  const items: StoredItem[] = []
  for await (const batch of store.list(view.model, plan)) items.push(...batch)
  return items
}

/** A relation that the item holds has an order of its own. */
function inOrderOf(
  owner: StoredItem,
  { through: { relation } }: ThroughJob,
  items: readonly StoredItem[],
): readonly StoredItem[] {
  if (relation.kind === 'inverse') return items
  const found = new Map(items.map((item) => [item.id, item]))
  return linkedIds(linkageOf(owner), relation).flatMap((id) => found.get(id) ?? [])
}

/** Whether the client asked for the linkage as it is. */
function isWhole({ context }: ListJob): boolean {
  return context.request.query === ''
}
