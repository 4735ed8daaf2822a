import type { ErrorCode } from '../../error/catalog.ts'
import type { RelatedListInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { readList, readListErrors } from '../read-list.ts'
import { findOwner, findOwnerErrors, relatedCondition } from './find-owner.ts'

export const relatedGetErrors: readonly ErrorCode[] = [...findOwnerErrors, ...readListErrors]

/** RelatedGet: the items that the one in the path relates to: a list, one item, or none. */
export async function relatedGet(input: RelatedListInput): Promise<OperationResult> {
  const owner = await findOwner(input.store, input)
  const condition = relatedCondition(owner, input)
  if (input.relationTarget.relation.kind !== 'toOne')
    return readList({ ...input, plan: { ...input.plan, condition } })
  const item =
    condition.kind === 'never' ? undefined : await input.store.find(input.view.model, condition)
  return item ? { kind: 'item', item } : { kind: 'emptyRelation', owner }
}
