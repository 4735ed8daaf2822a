import { ApiError } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { findItem, findItemErrors } from '../find-item.ts'
import type { ResourceWriteInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { changeGuardedItem, changeGuardedItemErrors } from '../write/change-guarded-item.ts'
import { guardedMemberErrors, refuseGuardedField } from '../write/guarded-members.ts'
import { checkUpload, checkUploadErrors } from './check-upload.ts'
import { findResourceAccessor, findResourceErrors } from './find-resource.ts'
import { isMaskedResource } from './masked-resource.ts'
import { receiveUpload, receiveUploadErrors } from './receive-upload.ts'
import { checkResourcePreconditions, resourcePreconditionErrors } from './resource-preconditions.ts'

export const setResourceErrors: readonly ErrorCode[] = [
  ...findItemErrors,
  ...guardedMemberErrors,
  ...findResourceErrors,
  ...resourcePreconditionErrors,
  ...receiveUploadErrors,
  ...checkUploadErrors,
  // No field with a value changes.
  ...withoutErrors(changeGuardedItemErrors, ['value-taken', 'invalid-member', 'related-not-found']),
]

/**
 * SetResource: streams the bytes into a new blob, then puts it into the item in one atomic step.
 * Everything that can be checked without the bytes is checked before the first byte is read.
 */
export async function setResource(input: ResourceWriteInput): Promise<OperationResult> {
  const item = await findItem(input.store, input)
  await refuseGuardedField(input.store, input, input.resourceTarget.path.itemField.name, item)
  const accessor = findResourceAccessor(input, readStoredValues(input.view.model, item))
  checkResourcePreconditions(
    input,
    (await isMaskedResource(input.store, input, item)) ? { ...accessor, resource: null } : accessor,
  )
  const resource = await receiveUpload(input)
  await checkUpload(input.blobs, input.resourceTarget.path.field, resource, input.context.signal)
  try {
    return await storeResource(input, resource)
  } catch (error) {
    // After an error of the store it is unknown whether the item was written; the sweep finds out.
    if (error instanceof ApiError)
      await input.blobs.deleteUnreferenced([StoredResource.blobKeyOf(resource)])
    throw error
  }
}

async function storeResource(
  input: ResourceWriteInput,
  resource: StoredResource,
): Promise<OperationResult> {
  const { model } = input.view
  const { name } = input.resourceTarget.path.itemField
  let isSame = false
  const result = await input.store.write(async (transaction): Promise<OperationResult> => {
    const current = await findItem(transaction, input)
    await refuseGuardedField(transaction, input, name, current)
    const values = readStoredValues(model, current)
    const accessor = findResourceAccessor(input, values)
    const isMasked = await isMaskedResource(transaction, input, current)
    checkResourcePreconditions(input, isMasked ? { ...accessor, resource: null } : accessor)
    isSame = !isMasked && accessor.resource !== null && isSameContent(accessor.resource, resource)
    if (isSame) return { kind: 'item', item: current }
    accessor.set(resource)
    return {
      kind: 'item',
      item: await changeGuardedItem(
        transaction,
        input,
        model,
        current,
        values,
        undefined,
        [name],
        isMasked ? new Set([name]) : undefined,
      ),
    }
  })
  // The same content keeps its resource, and the version of the item.
  if (isSame) await input.blobs.deleteUnreferenced([StoredResource.blobKeyOf(resource)])
  return result
}

function isSameContent(one: StoredResource, other: StoredResource): boolean {
  return (
    one.hash === other.hash &&
    one.contentType === other.contentType &&
    one.fileName === other.fileName
  )
}
