import type { Problem } from '../error/problem.ts'
import { hasOwnClass } from '../model/describe-actions.ts'
import { hasId } from '../query/conditions.ts'
import type { StoreReader, StoreTransaction } from '../store/store.ts'
import type { StoredItem, StoredValues } from '../store/stored-item.ts'
import { completeItem, type Members } from './complete-item.ts'
import { writeInverses } from './inverse-links.ts'
import { newId } from './item-id.ts'
import type { BodyJob, Result } from './job.ts'
import { fromModel, toModel } from './model-instance.ts'
import { ownLinks } from './own-id.ts'
import type { Related } from './related-items.ts'
import { refuseWithMissing, resolveRelations } from './resolve-relations.ts'
import { unwrittenInverses } from './unwritten-inverses.ts'
import { alreadyExists, insertItem, refuseOutcome } from './write-item.ts'

/** CreateItem: validates, resolves relations to objects, passes the model's own class, and stores. */
export async function createItem(job: BodyJob): Promise<Result> {
  const problems = await unwrittenInverses(job.store, job, undefined)
  const id = newId(job.view.model, job.sent, problems)
  const members = await completeNew(job.store, job, id, problems)
  return job.store.write(async (transaction) => ({
    kind: 'created',
    item: await storeNew(transaction, job, { ...members, id }),
  }))
}

/** What was sent as a whole new item; its faults are told together with relations that lead nowhere. */
export async function completeNew(
  reader: StoreReader,
  job: BodyJob,
  id: string,
  problems: Problem[],
): Promise<Members> {
  try {
    return await completeItem(job, { kind: 'new' }, problems)
  } catch (error) {
    return refuseWithMissing(reader, job, ownLinks(job.view, id), error)
  }
}

/** Stores a new item, whole and validated, once its relations are resolved. */
export async function storeNew(transaction: StoreTransaction, job: BodyJob, values: StoredValues): Promise<StoredItem> {
  const { model } = job.view
  const related = await resolved(transaction, job, values)
  const stored = hasOwnClass(model) ? fromModel(model, toModel(model, values, related)) : values
  const item = await insertItem(transaction, model, stored, job.sent)
  const whole = await writeInverses(transaction, job, item, 'add')
  await refuseOutcome(transaction, job.guards.outcome(model, job.context), model, item)
  return whole.item
}

/** An id that is taken is the first thing to say; relations are resolved before the insert can tell, so that is asked for when they fail. */
async function resolved(transaction: StoreTransaction, job: BodyJob, { id }: StoredValues): Promise<Related> {
  try {
    return await resolveRelations(transaction, job, ownLinks(job.view, id))
  } catch (error) {
    if (await transaction.find(job.view.model, hasId(id))) throw alreadyExists(job.view.model, job.sent)
    throw error
  }
}
