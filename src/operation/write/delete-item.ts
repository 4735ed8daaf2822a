import { findItem } from '../find-item.ts'
import type { OperationResult, WriteOperationInput } from '../operation-input.ts'
import { checkPreconditions } from '../preconditions.ts'
import { removeItem } from './remove-item.ts'

/** DeleteItem: removes the item, and mends what refers to it. */
export function deleteItem(job: WriteOperationInput): Promise<OperationResult> {
  return job.store.write(async (transaction) => {
    const current = await findItem(transaction, job)
    checkPreconditions(job, current)
    await removeItem(transaction, job.view.model, current.id)
    return { kind: 'removed' }
  })
}
