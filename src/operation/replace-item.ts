import { both, hasId } from '../query/conditions.ts'
import type { StoreTransaction } from '../store/store.ts'
import { changeExisting } from './change-existing.ts'
import { completeNew, storeNew } from './create-item.ts'
import { refuseOtherId, refuseUnusableId } from './item-id.ts'
import type { BodyJob, Result } from './job.ts'
import { refuseStale } from './match.ts'
import { unwrittenInverses } from './unwritten-inverses.ts'

/** ReplaceItem: the whole item is what was sent; members it did not send are gone. Creates the item where the model says `upsert`. */
export function replaceItem(job: BodyJob): Promise<Result> {
  return job.store.write(async (transaction) => {
    const isNew = job.view.model.upsert && !(await isThere(transaction, job))
    return isNew ? createAt(transaction, job) : changeExisting(transaction, job, 'replace')
  })
}

/** An item that the caller sees, but may not replace, is there too: nothing can be created in its place. */
async function isThere(transaction: StoreTransaction, { view, plan, guards, context }: BodyJob): Promise<boolean> {
  const { model } = view
  if (await transaction.find(model, plan.condition)) return true
  const seen = both(guards.condition(model, context), hasId(context.id!))
  return (await transaction.find(model, seen)) !== undefined
}

async function createAt(transaction: StoreTransaction, job: BodyJob): Promise<Result> {
  refuseOtherId(job)
  refuseUnusableId(job)
  const id = job.context.id!
  const problems = await unwrittenInverses(transaction, job, undefined)
  const members = await completeNew(transaction, job, id, problems)
  refuseStale(job, undefined)
  return { kind: 'created', item: await storeNew(transaction, job, { ...members, id }) }
}
