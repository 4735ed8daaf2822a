import { andAlso, idIsAnyOf, never, relatesToAny } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { StoreReader } from '../../store/store.ts'
import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { findItem } from '../find-item.ts'
import type { OperationInput, RelationOperationInput } from '../operation-input.ts'

/** The same job, done on the item in the path rather than on those it relates to. */
export function ownerInput<J extends OperationInput & RelationOperationInput>(job: J): J {
  return { ...job, view: job.relationTarget.view, plan: job.ownerPlan }
}

/** The item in the path. @throws ApiError `not-found` */
export function findOwner(
  reader: StoreReader,
  job: OperationInput & RelationOperationInput,
): Promise<StoredItem> {
  return findItem(reader, ownerInput(job))
}

/** What the items that the owner relates to satisfy, beside what the operation may touch at all. */
export function relatedCondition(
  owner: StoredItem,
  { plan, relationTarget: { relation } }: OperationInput & RelationOperationInput,
): Condition {
  if (relation.kind === 'inverse')
    return andAlso(
      plan.condition,
      relatesToAny(relation.inverseOf.name, relation.inverseOf.kind, [owner.id]),
    )
  const ids = linkedIds(linkageOf(owner), relation)
  return ids.length === 0 ? never : andAlso(plan.condition, idIsAnyOf(ids))
}
