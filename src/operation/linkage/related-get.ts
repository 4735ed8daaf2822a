import { getList } from '../get-list.ts'
import type {
  ListOperationInput,
  OperationResult,
  RelationOperationInput,
} from '../operation-input.ts'
import { findOwner, relatedCondition } from './find-owner.ts'

/** RelatedGet: the items that the one in the path relates to: a list, or one item or none. */
export async function relatedGet(
  job: ListOperationInput & RelationOperationInput,
): Promise<OperationResult> {
  const owner = await findOwner(job.store, job)
  const condition = relatedCondition(owner, job)
  if (job.relationTarget.relation.kind !== 'toOne')
    return getList({ ...job, plan: { ...job.plan, condition } })
  const item =
    condition.kind === 'never' ? undefined : await job.store.find(job.view.model, condition)
  return item ? { kind: 'item', item } : { kind: 'nothing', owner }
}
