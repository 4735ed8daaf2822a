import type { ErrorCode } from '../../error/catalog.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { changeExisting, changeExistingErrors } from './change-existing.ts'
import { lockForLinks } from './lock-first.ts'

export const updateItemErrors: readonly ErrorCode[] = [...changeExistingErrors]

/**
 * UpdateItem: merges the payload into the item (RFC 7396), validates what the payload has, and
 * stores the item in one atomic step.
 */
export function updateItem(input: PayloadOperationInput): Promise<OperationResult> {
  return input.store.write(async (transaction) => {
    await lockForLinks(transaction, input, 'replace')
    return changeExisting(transaction, input, 'merge')
  })
}
