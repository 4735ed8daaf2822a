import type { ErrorCode } from '../../error/catalog.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { checkListLength, listLengthErrors } from '../list-length.ts'
import type { ListOperationInput, RelatedListInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { readList, readListErrors } from '../read-list.ts'
import { findOwner, findOwnerErrors, relatedCondition } from './find-owner.ts'

export const relationshipGetErrors: readonly ErrorCode[] = [
  ...findOwnerErrors,
  ...readListErrors,
  ...listLengthErrors,
]

/** RelationshipGet: the ids of the related items that the caller may see. */
export async function relationshipGet(input: RelatedListInput): Promise<OperationResult> {
  const { relation } = input.relationTarget
  const owner = await findOwner(input.store, input)
  const plan = { ...input.plan, condition: relatedCondition(owner, input) }
  if (input.page.kind !== 'none') return readList({ ...input, plan })
  if (relation.kind !== 'toOne') await checkListLength(input, plan)
  return {
    kind: 'linkage',
    owner,
    idBatches: visibleLinkage(input, owner),
    isToMany: relation.kind !== 'toOne',
    withCount: input.withCount,
    isComplete: asksForAll(input),
  }
}

/** All ids. The items may be many and large. Only ids are kept in memory. */
function visibleLinkage(
  input: RelatedListInput,
  owner: StoredItem,
): Iterable<readonly string[]> | AsyncIterable<readonly string[]> {
  const { plan, relationTarget } = input
  const isUnsorted = plan.sort.length === 0
  const storedIds =
    relationTarget.relation.kind === 'inverse'
      ? undefined
      : linkedIds(linkageOf(owner), relationTarget.relation)
  // Without a condition or a sort, the stored ids can be sent.
  if (storedIds && (storedIds.length === 0 || (isUnsorted && plan.condition.kind === 'always')))
    return [storedIds]
  const idBatches = listIds(input, { ...plan, condition: relatedCondition(owner, input) })
  return storedIds && isUnsorted ? inStoredOrder(storedIds, idBatches) : idBatches
}

/** A relation that the item holds keeps its own order. */
async function* inStoredOrder(
  storedIds: readonly string[],
  idBatches: AsyncIterable<readonly string[]>,
): AsyncGenerator<readonly string[]> {
  const visibleIds = new Set<string>()
  for await (const ids of idBatches) for (const id of ids) visibleIds.add(id)
  yield storedIds.filter((id) => visibleIds.has(id))
}

async function* listIds(
  { store, view }: ListOperationInput,
  plan: QueryPlan,
): AsyncGenerator<readonly string[]> {
  for await (const batch of store.list(view.model, plan)) yield batch.map(({ id }) => id)
}

/** Whether the request has no parameters, so that the linkage is complete. */
function asksForAll({ context }: ListOperationInput): boolean {
  return /^&*$/.test(context.request.query)
}
