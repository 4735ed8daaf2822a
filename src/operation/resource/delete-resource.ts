import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { findItem } from '../find-item.ts'
import type { ResourceWriteInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { changeGuardedItem } from '../write/write-item.ts'
import {
  checkResourcePreconditions,
  findResourceAccessor,
  requireResource,
} from './find-resource.ts'

/** DeleteResource: clears the resource. Its bytes are deleted after the commit. */
export function deleteResource(input: ResourceWriteInput): Promise<OperationResult> {
  const { model } = input.view
  return input.store.write(async (transaction) => {
    const current = await findItem(transaction, input)
    const values = readStoredValues(model, current)
    const accessor = findResourceAccessor(input, values)
    requireResource(input, accessor)
    checkResourcePreconditions(input, accessor)
    accessor.set(null)
    await changeGuardedItem(transaction, input, model, current, values)
    return { kind: 'deleted' }
  })
}
