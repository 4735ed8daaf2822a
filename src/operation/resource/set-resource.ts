import { ApiError } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import type { ResourceWriteInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { checkUpload, checkUploadErrors } from './check-upload.ts'
import { receiveUpload, receiveUploadErrors } from './receive-upload.ts'
import { findResourceChange, resourceChangeErrors, writeResourceChange } from './resource-change.ts'
import { checkResourcePreconditions, resourcePreconditionErrors } from './resource-preconditions.ts'

export const setResourceErrors: readonly ErrorCode[] = [
  ...resourceChangeErrors,
  ...resourcePreconditionErrors,
  ...receiveUploadErrors,
  ...checkUploadErrors,
]

/**
 * SetResource: streams the bytes into a new blob, then puts it into the item in one atomic step.
 * Everything that can be checked without the bytes is checked before the first byte is read.
 */
export async function setResource(input: ResourceWriteInput): Promise<OperationResult> {
  const { seen } = await findResourceChange(input.store, input)
  checkResourcePreconditions(input, seen)
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
  let isSame = false
  const result = await input.store.write(async (transaction): Promise<OperationResult> => {
    const change = await findResourceChange(transaction, input)
    const { item, seen } = change
    checkResourcePreconditions(input, seen)
    isSame = seen.resource !== null && isSameContent(seen.resource, resource)
    if (isSame) return { kind: 'item', item }
    return {
      kind: 'item',
      item: await writeResourceChange(transaction, input, change, resource),
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
