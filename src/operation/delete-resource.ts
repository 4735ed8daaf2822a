import { storedValues } from '../store/item-text.ts'
import { findItem } from './find-item.ts'
import { filled, findRoom, refuseStaleResource } from './find-resource.ts'
import type { ResourceJob, Result, WriteJob } from './job.ts'
import { changeGuarded } from './write-item.ts'

/** DeleteResource: leaves the place of the resource empty. Its bytes are deleted with the commit. */
export function deleteResource(job: WriteJob & ResourceJob): Promise<Result> {
  const { model } = job.view
  return job.store.write(async (transaction) => {
    const current = await findItem(transaction, job)
    const values = storedValues(model, current)
    const room = findRoom(job, values)
    filled(job, room)
    refuseStaleResource(job, room)
    room.put(null)
    await changeGuarded(transaction, job, model, current, values)
    return { kind: 'removed' }
  })
}
