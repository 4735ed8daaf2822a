import type { QueryPlan } from '../../query/query-plan.ts'
import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { getList } from '../get-list.ts'
import type {
  ListOperationInput,
  OperationResult,
  RelationOperationInput,
} from '../operation-input.ts'
import { findOwner, relatedCondition } from './find-owner.ts'

/**
 * RelationshipGet: which items the one in the path relates to; of those, the ones that the caller
 * may see.
 */
export async function relationshipGet(
  job: ListOperationInput & RelationOperationInput,
): Promise<OperationResult> {
  const { relation } = job.relationTarget
  const owner = await findOwner(job.store, job)
  if (job.page.kind !== 'none')
    return getList({ ...job, plan: { ...job.plan, condition: relatedCondition(owner, job) } })
  const ids = await visibleLinkage(job, owner)
  const total = job.withCount ? ids.length : undefined
  return {
    kind: 'linkage',
    owner,
    ids,
    isToMany: relation.kind !== 'toOne',
    total,
    isComplete: asksForAll(job),
  }
}

/** All identifiers; of the items, which may be many and large, nothing else is kept. */
async function visibleLinkage(
  job: ListOperationInput & RelationOperationInput,
  owner: StoredItem,
): Promise<readonly string[]> {
  const { plan, relationTarget } = job
  const inOrder = plan.sort.length === 0
  const held =
    relationTarget.relation.kind === 'inverse'
      ? undefined
      : linkedIds(linkageOf(owner), relationTarget.relation)
  // Where nothing narrows or sorts the items, what the owner holds needs no look at them.
  if (held && (held.length === 0 || (inOrder && plan.condition.kind === 'always'))) return held
  const ids = await listIds(job, { ...plan, condition: relatedCondition(owner, job) })
  if (!held || !inOrder) return ids
  // A relation that the item holds has an order of its own.
  const found = new Set(ids)
  return held.filter((id) => found.has(id))
}

async function listIds(
  { store, view }: ListOperationInput,
  plan: QueryPlan,
): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const batch of store.list(view.model, plan))
    for (const item of batch) ids.push(item.id)
  return ids
}

/** Whether the client asked for the linkage as it is. */
function asksForAll({ context }: ListOperationInput): boolean {
  return context.request.query === ''
}
