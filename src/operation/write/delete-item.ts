import type { ErrorCode } from '../../error/catalog.ts'
import type { InboundRelation } from '../../model/model-description.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import type { WriteOperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { preconditionCheck, preconditionErrors } from '../preconditions.ts'
import { lockForRemoval } from './lock-for-removal.ts'
import { refuseRestricted, removeItem, removeItemErrors } from './remove-item.ts'

export const deleteItemErrors: readonly ErrorCode[] = [
  ...findItemErrors,
  ...preconditionErrors,
  ...removeItemErrors,
]

/** DeleteItem: removes the item, and updates or removes the items that refer to it. */
export function deleteItem(input: WriteOperationInput): Promise<OperationResult> {
  const { guards, context, view, store } = input
  const { model } = view
  const isSeen = ({ owner, relation }: InboundRelation) =>
    guards.fields.readCondition(owner, relation.name, context).kind !== 'never'
  return store.write(async (transaction) => {
    const check = preconditionCheck(transaction, input)
    await lockForRemoval(transaction, input, async (item) => {
      await check(item)
      await refuseRestricted(transaction, model, item.id, isSeen)
    })
    const current = await findItem(transaction, input)
    await check(current)
    await removeItem(transaction, model, current.id, isSeen)
    return { kind: 'deleted' }
  })
}
