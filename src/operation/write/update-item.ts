import type { ErrorCode } from '../../error/catalog.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { preconditionCheck, preconditionErrors } from '../preconditions.ts'
import { changeExisting, changeExistingErrors } from './change-existing.ts'
import { lockForLinks } from './lock-for-links.ts'

export const updateItemErrors: readonly ErrorCode[] = [
  ...changeExistingErrors,
  ...preconditionErrors,
]

/**
 * UpdateItem: merges the payload into the item (RFC 7396), validates what the payload has, and
 * stores the item in one atomic step.
 */
export function updateItem(input: PayloadOperationInput): Promise<OperationResult> {
  return input.store.write(async (transaction) => {
    await lockForLinks(transaction, input, {
      change: 'replace',
      replacesItem: false,
      check: (item) => preconditionCheck(transaction, input)(item),
    })
    return changeExisting(transaction, input, 'merge')
  })
}
