import { storedValues } from '../store/item-text.ts'
import type { StoreTransaction } from '../store/store.ts'
import { completeItem } from './complete-item.ts'
import { storeNew } from './create-item.ts'
import { findItem } from './find-item.ts'
import { writeInverses } from './inverse-links.ts'
import { refuseOtherId, refuseUnusableId } from './item-id.ts'
import type { BodyJob, Result } from './job.ts'
import { refuseStale } from './match.ts'
import { resolveRelations } from './resolve-relations.ts'
import { unseenLinks } from './unseen-links.ts'
import { changeItem } from './write-item.ts'

/** ReplaceItem: the whole item is what was sent; members it did not send are gone. Creates the item where the model says `upsert`. */
export function replaceItem(job: BodyJob): Promise<Result> {
  const { model } = job.view
  return job.store.write(async (transaction) => {
    if (model.upsert && !(await transaction.find(model, job.plan.condition))) return createAt(transaction, job)
    const current = await findItem(transaction, job)
    refuseOtherId(job)
    const stored = storedValues(model, current)
    const unseen = await unseenLinks(transaction, job, stored)
    const members = await completeItem(job.view, job.sent, { kind: 'replace', stored, unseen })
    await resolveRelations(transaction, job, stored)
    refuseStale(job, current)
    const item = await changeItem(transaction, model, current, { ...members, id: current.id }, job.sent)
    return { kind: 'item', item: await writeInverses(transaction, job, item) }
  })
}

async function createAt(transaction: StoreTransaction, job: BodyJob): Promise<Result> {
  refuseOtherId(job)
  refuseUnusableId(job)
  const members = await completeItem(job.view, job.sent, { kind: 'new' })
  refuseStale(job, undefined)
  return { kind: 'created', item: await storeNew(transaction, job, { ...members, id: job.context.id! }) }
}
