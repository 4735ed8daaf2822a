import { findItem } from './find-item.ts'
import type { Result, WriteJob } from './job.ts'
import { refuseStale } from './match.ts'
import { removeItem } from './remove-item.ts'

/** DeleteItem: removes the item, and mends what refers to it. */
export function deleteItem(job: WriteJob): Promise<Result> {
  return job.store.write(async (transaction) => {
    const current = await findItem(transaction, job)
    refuseStale(job, current)
    await removeItem(transaction, job.view.model, current.id)
    return { kind: 'removed' }
  })
}
