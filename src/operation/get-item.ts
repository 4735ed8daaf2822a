import { findItem } from './find-item.ts'
import type { Job, Result } from './job.ts'

/** GetItem: the item with the path's id. */
export function getItem(job: Job): Promise<Result> {
  return findItem(job.store, job).then((item) => ({ kind: 'item', item }))
}
