import type { QueryPlan } from '../../query/query-plan.ts'
import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { getList } from '../get-list.ts'
import type { ListOperationInput, RelatedListInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { findOwner, relatedCondition } from './find-owner.ts'

/** RelationshipGet: the ids of the related items that the caller may see. */
export async function relationshipGet(input: RelatedListInput): Promise<OperationResult> {
  const { relation } = input.relationTarget
  const owner = await findOwner(input.store, input)
  if (input.page.kind !== 'none')
    return getList({ ...input, plan: { ...input.plan, condition: relatedCondition(owner, input) } })
  const ids = await visibleLinkage(input, owner)
  const total = input.withCount ? ids.length : undefined
  return {
    kind: 'linkage',
    owner,
    ids,
    isToMany: relation.kind !== 'toOne',
    total,
    isComplete: asksForAll(input),
  }
}

/** All ids. The items may be many and large, so nothing else of them is kept. */
async function visibleLinkage(
  input: RelatedListInput,
  owner: StoredItem,
): Promise<readonly string[]> {
  const { plan, relationTarget } = input
  const isUnsorted = plan.sort.length === 0
  const storedIds =
    relationTarget.relation.kind === 'inverse'
      ? undefined
      : linkedIds(linkageOf(owner), relationTarget.relation)
  // Without a condition or a sort, the stored ids are the answer.
  if (storedIds && (storedIds.length === 0 || (isUnsorted && plan.condition.kind === 'always')))
    return storedIds
  const ids = await listIds(input, { ...plan, condition: relatedCondition(owner, input) })
  if (!storedIds || !isUnsorted) return ids
  // A relation that the item holds keeps its own order.
  const visibleIds = new Set(ids)
  return storedIds.filter((id) => visibleIds.has(id))
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

/** Whether the request has no query string, so that the linkage is complete. */
function asksForAll({ context }: ListOperationInput): boolean {
  return context.request.query === ''
}
