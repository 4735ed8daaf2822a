import { findItem } from './find-item.ts'
import type { Job, Result } from './job.ts'

/** GetItem: the item with the path's id. */
export async function getItem(job: Job): Promise<Result> {
  return { kind: 'item', item: await findItem(job.store, job) }
}
