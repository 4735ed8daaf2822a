import type { StoreTransaction } from '../store/store.ts'
import { changeExisting } from './change-existing.ts'
import { completeItem } from './complete-item.ts'
import { storeNew } from './create-item.ts'
import { refuseOtherId, refuseUnusableId } from './item-id.ts'
import type { BodyJob, Result } from './job.ts'
import { refuseStale } from './match.ts'
import { unwrittenInverses } from './unwritten-inverses.ts'

/** ReplaceItem: the whole item is what was sent; members it did not send are gone. Creates the item where the model says `upsert`. */
export function replaceItem(job: BodyJob): Promise<Result> {
  const { model } = job.view
  return job.store.write(async (transaction) => {
    const isNew = model.upsert && !(await transaction.find(model, job.plan.condition))
    return isNew ? createAt(transaction, job) : changeExisting(transaction, job, 'replace')
  })
}

async function createAt(transaction: StoreTransaction, job: BodyJob): Promise<Result> {
  refuseOtherId(job)
  refuseUnusableId(job)
  const problems = await unwrittenInverses(transaction, job, undefined)
  const members = await completeItem(job, { kind: 'new' }, problems)
  refuseStale(job, undefined)
  return { kind: 'created', item: await storeNew(transaction, job, { ...members, id: job.context.id! }) }
}
