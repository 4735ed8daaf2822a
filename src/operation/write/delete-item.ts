import type { ErrorCode } from '../../error/catalog.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import type { WriteOperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { checkPreconditions, preconditionErrors } from '../preconditions.ts'
import { shownItem } from '../shown-item.ts'
import { lockForRemoval } from './lock-first.ts'
import { removeItem, removeItemErrors } from './remove-item.ts'

export const deleteItemErrors: readonly ErrorCode[] = [
  ...findItemErrors,
  ...preconditionErrors,
  ...removeItemErrors,
]

/** DeleteItem: removes the item, and updates or removes the items that refer to it. */
export function deleteItem(input: WriteOperationInput): Promise<OperationResult> {
  return input.store.write(async (transaction) => {
    await lockForRemoval(transaction, input)
    const current = await findItem(transaction, input)
    checkPreconditions(input, await shownItem(transaction, input, current))
    const { guards, context, view } = input
    await removeItem(transaction, view.model, current.id, ({ owner, relation }) => {
      const seen = guards.fields.readCondition(owner, relation.name, context)
      return seen.kind !== 'never'
    })
    return { kind: 'deleted' }
  })
}
