import type { Problem } from '../../error/problem.ts'
import { hasOwnClass } from '../../model/describe/describe-actions.ts'
import { idEquals } from '../../query/conditions.ts'
import type { StoreReader, StoreTransaction } from '../../store/store.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { fromModelInstance, toModelInstance } from '../model-instance.ts'
import type { OperationResult, PayloadOperationInput } from '../operation-input.ts'
import type { RelatedItemsByModel } from '../related-items.ts'
import { completeItem, type Members } from './complete-item.ts'
import { writeInverseRelations } from './inverse-relations.ts'
import { newItemId } from './item-id.ts'
import { readOnlyInverseProblems } from './read-only-inverses.ts'
import { refuseWithMissingRelations, resolveRelations } from './resolve-relations.ts'
import { selfReferences } from './self-references.ts'
import { alreadyExists, checkOutcome, insertItem } from './write-item.ts'

/**
 * CreateItem: validates, resolves relations to objects, passes the model's own class, and stores.
 */
export async function createItem(job: PayloadOperationInput): Promise<OperationResult> {
  const problems = await readOnlyInverseProblems(job.store, job, undefined)
  const id = newItemId(job.view.model, job.payload, problems)
  const members = await completeNewItem(job.store, job, id, problems)
  return job.store.write(async (transaction) => ({
    kind: 'created',
    item: await storeNewItem(transaction, job, { ...members, id }),
  }))
}

/**
 * What was sent as a whole new item; its faults are told together with relations that lead nowhere.
 */
export async function completeNewItem(
  reader: StoreReader,
  job: PayloadOperationInput,
  id: string,
  problems: Problem[],
): Promise<Members> {
  try {
    return await completeItem(job, { kind: 'new' }, problems)
  } catch (error) {
    return refuseWithMissingRelations(reader, job, selfReferences(job.view, id), error)
  }
}

/** Stores a new item, whole and validated, once its relations are resolved. */
export async function storeNewItem(
  transaction: StoreTransaction,
  job: PayloadOperationInput,
  values: StoredValues,
): Promise<StoredItem> {
  const { model } = job.view
  const related = await resolveOrRefuseTakenId(transaction, job, values)
  const stored = hasOwnClass(model)
    ? fromModelInstance(model, toModelInstance(model, values, related))
    : values
  const item = await insertItem(transaction, model, stored, job.payload)
  const whole = await writeInverseRelations(transaction, job, item, 'add')
  await checkOutcome(transaction, job.guards.outcomeCondition(model, job.context), model, item)
  return whole.item
}

/**
 * An id that is taken is the first thing to say; relations are resolved before the insert can tell,
 * so that is asked for when they fail.
 */
async function resolveOrRefuseTakenId(
  transaction: StoreTransaction,
  job: PayloadOperationInput,
  { id }: StoredValues,
): Promise<RelatedItemsByModel> {
  try {
    return await resolveRelations(transaction, job, selfReferences(job.view, id))
  } catch (error) {
    if (await transaction.find(job.view.model, idEquals(id)))
      throw alreadyExists(job.view.model, job.payload)
    throw error
  }
}
