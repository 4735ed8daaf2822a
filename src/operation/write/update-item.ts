import type { OperationResult, PayloadOperationInput } from '../operation-input.ts'
import { changeExisting } from './change-existing.ts'

/**
 * UpdateItem: what was sent is merged into the item (RFC 7396), and the whole is validated and
 * stored in one atomic step.
 */
export function updateItem(job: PayloadOperationInput): Promise<OperationResult> {
  return job.store.write((transaction) => changeExisting(transaction, job, 'merge'))
}
