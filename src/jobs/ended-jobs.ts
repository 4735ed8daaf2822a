import type { ModelDescription } from '../model/model-description.ts'
import type { UnitOfWork } from '../operation/unit-of-work/unit-of-work.ts'
import type { BeginObserver } from '../store/write-observer.ts'
import { jobRows } from './job-rows.ts'
import { removeBody } from './kept-bodies.ts'

/** Removes what is kept of a job that is deleted, so that no process goes on with it. */
export function endRemovedJobs(job: ModelDescription): BeginObserver<UnitOfWork> {
  return {
    isFollowed: ({ model, kind }) => model === job && kind === 'delete',
    written: async (transaction, { model, kind, id }) => {
      if (model !== job || kind !== 'delete') return
      await transaction.remove(jobRows.model, id)
      await removeBody(transaction, id)
    },
  }
}
