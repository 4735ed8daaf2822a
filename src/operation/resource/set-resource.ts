import { ApiError } from '../../error/api-error.ts'
import { StoredResource } from '../../model/stored-resource.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { findItem } from '../find-item.ts'
import type {
  OperationResult,
  ResourceOperationInput,
  WriteOperationInput,
} from '../operation-input.ts'
import { changeGuardedItem } from '../write/write-item.ts'
import { checkUpload } from './check-upload.ts'
import { checkResourcePreconditions, findResourceAccessor } from './find-resource.ts'
import { receiveUpload } from './receive-upload.ts'

type SetResourceInput = WriteOperationInput & ResourceOperationInput

/**
 * SetResource: takes the bytes into a blob of their own, then puts it into the item in one atomic
 * step. What can be refused without the bytes is refused before the first of them is read.
 */
export async function setResource(job: SetResourceInput): Promise<OperationResult> {
  const item = await findItem(job.store, job)
  checkResourcePreconditions(job, findResourceAccessor(job, readStoredValues(job.view.model, item)))
  const resource = await receiveUpload(job)
  await checkUpload(job.blobs, job.resourceTarget.path.field, resource, job.context.signal)
  try {
    return await storeResource(job, resource)
  } catch (error) {
    // After a fault of the store nobody knows whether the item was written: the sweep will.
    if (error instanceof ApiError)
      await job.blobs.deleteUnreferenced([StoredResource.blobKeyOf(resource)])
    throw error
  }
}

async function storeResource(
  job: SetResourceInput,
  resource: StoredResource,
): Promise<OperationResult> {
  const { model } = job.view
  const { item, isSame } = await job.store.write(async (transaction) => {
    const current = await findItem(transaction, job)
    const values = readStoredValues(model, current)
    const room = findResourceAccessor(job, values)
    checkResourcePreconditions(job, room)
    if (room.resource && isSameContent(room.resource, resource))
      return { item: current, isSame: true }
    room.set(resource)
    return {
      item: await changeGuardedItem(transaction, job, model, current, values),
      isSame: false,
    }
  })
  // What is there already stays, and with it its item's version.
  if (isSame) await job.blobs.deleteUnreferenced([StoredResource.blobKeyOf(resource)])
  return { kind: 'item', item }
}

function isSameContent(one: StoredResource, other: StoredResource): boolean {
  return (
    one.hash === other.hash &&
    one.contentType === other.contentType &&
    one.fileName === other.fileName
  )
}
