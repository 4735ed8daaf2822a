import type { ErrorCode } from '../../error/catalog.ts'
import { allOf, andAlso, idIsAnyOf, never, relatesToAny } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { linkageOf, linkedIds } from '../../stored-item/linkage.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import type { RelationOperationInput } from '../operation-input.ts'

export const findOwnerErrors: readonly ErrorCode[] = [...findItemErrors]

/** The same input for the item in the path, instead of those that it relates to. */
export function ownerInput<Input extends RelationOperationInput>(input: Input): Input {
  return { ...input, view: input.relationTarget.owner, plan: input.ownerPlan }
}

/** @throws ApiError `not-found` */
export function findOwner(reader: StoreReader, input: RelationOperationInput): Promise<StoredItem> {
  return findItem(reader, ownerInput(input))
}

/** The items that the owner relates to, of those that the operation may touch. */
export function relatedCondition(
  owner: StoredItem,
  { plan, guards, context, relationTarget: { relation } }: RelationOperationInput,
): Condition {
  if (relation.kind === 'inverse')
    return allOf([
      plan.condition,
      relatesToAny(relation.inverseOf.name, relation.inverseOf.kind, [owner.id]),
      guards.fields.linkCondition(relation, context),
    ])
  const ids = linkedIds(linkageOf(owner), relation)
  return ids.length === 0 ? never : andAlso(plan.condition, idIsAnyOf(ids))
}
