import { ApiError } from '../error/api-error.ts'
import { StoredResource } from '../model/stored-resource.ts'
import { storedValues } from '../store/item-text.ts'
import { checkUpload } from './check-upload.ts'
import { findItem } from './find-item.ts'
import { findRoom, refuseStaleResource } from './find-resource.ts'
import type { ResourceJob, Result, WriteJob } from './job.ts'
import { receiveUpload } from './receive-upload.ts'
import { changeGuarded } from './write-item.ts'

type Setting = WriteJob & ResourceJob

/**
 * SetResource: takes the bytes into a blob of their own, then puts it into the item in one atomic step. What can be refused without
 * the bytes is refused before the first of them is read.
 */
export async function setResource(job: Setting): Promise<Result> {
  const item = await findItem(job.store, job)
  refuseStaleResource(job, findRoom(job, storedValues(job.view.model, item)))
  const resource = await receiveUpload(job)
  await checkUpload(job.blobs, job.resource.slot.field, resource, job.context.signal)
  try {
    return await put(job, resource)
  } catch (error) {
    // After a fault of the store nobody knows whether the item was written: the sweep will.
    if (error instanceof ApiError) await job.blobs.drop([StoredResource.keyOf(resource)])
    throw error
  }
}

async function put(job: Setting, resource: StoredResource): Promise<Result> {
  const { model } = job.view
  const { item, isSame } = await job.store.write(async (transaction) => {
    const current = await findItem(transaction, job)
    const values = storedValues(model, current)
    const room = findRoom(job, values)
    refuseStaleResource(job, room)
    if (room.resource && tellSame(room.resource, resource)) return { item: current, isSame: true }
    room.put(resource)
    return { item: await changeGuarded(transaction, job, model, current, values), isSame: false }
  })
  // What is there already stays, and with it its item's version.
  if (isSame) await job.blobs.drop([StoredResource.keyOf(resource)])
  return { kind: 'item', item }
}

function tellSame(one: StoredResource, other: StoredResource): boolean {
  return one.hash === other.hash && one.contentType === other.contentType && one.fileName === other.fileName
}
