import { changeExisting } from './change-existing.ts'
import type { BodyJob, Result } from './job.ts'

/** UpdateItem: what was sent is merged into the item (RFC 7396), and the whole is validated and stored in one atomic step. */
export function updateItem(job: BodyJob): Promise<Result> {
  return job.store.write((transaction) => changeExisting(transaction, job, 'merge'))
}
