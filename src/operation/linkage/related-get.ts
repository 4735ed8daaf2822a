import type { ErrorCode } from '../../error/catalog.ts'
import { getList, getListErrors } from '../get-list.ts'
import type { RelatedListInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { findOwner, findOwnerErrors, relatedCondition } from './find-owner.ts'

export const relatedGetErrors: readonly ErrorCode[] = [...findOwnerErrors, ...getListErrors]

/** RelatedGet: the items that the one in the path relates to: a list, one item, or none. */
export async function relatedGet(input: RelatedListInput): Promise<OperationResult> {
  const owner = await findOwner(input.store, input)
  const condition = relatedCondition(owner, input)
  if (input.relationTarget.relation.kind !== 'toOne')
    return getList({
      ...input,
      plan: { ...input.plan, condition },
      listWithout: (path) => {
        const plan = input.listWithout(path)
        return { ...plan, condition: relatedCondition(owner, { ...input, plan }) }
      },
    })
  const item =
    condition.kind === 'never' ? undefined : await input.store.find(input.view.model, condition)
  return item ? { kind: 'item', item } : { kind: 'emptyRelation', owner }
}
