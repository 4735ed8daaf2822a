import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { findItem } from '../find-item.ts'
import type {
  OperationResult,
  ResourceOperationInput,
  WriteOperationInput,
} from '../operation-input.ts'
import { changeGuardedItem } from '../write/write-item.ts'
import {
  checkResourcePreconditions,
  findResourceAccessor,
  requireResource,
} from './find-resource.ts'

/**
 * DeleteResource: leaves the place of the resource empty. Its bytes are deleted with the commit.
 */
export function deleteResource(
  job: WriteOperationInput & ResourceOperationInput,
): Promise<OperationResult> {
  const { model } = job.view
  return job.store.write(async (transaction) => {
    const current = await findItem(transaction, job)
    const values = readStoredValues(model, current)
    const room = findResourceAccessor(job, values)
    requireResource(job, room)
    checkResourcePreconditions(job, room)
    room.set(null)
    await changeGuardedItem(transaction, job, model, current, values)
    return { kind: 'removed' }
  })
}
