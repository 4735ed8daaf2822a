import { andAlso, idEquals } from '../../query/conditions.ts'
import type { StoreTransaction } from '../../store/store.ts'
import type { OperationResult, PayloadOperationInput } from '../operation-input.ts'
import { checkPreconditions } from '../preconditions.ts'
import { changeExisting } from './change-existing.ts'
import { completeNewItem, storeNewItem } from './create-item.ts'
import { refuseOtherId, refuseUnusableId } from './item-id.ts'
import { readOnlyInverseProblems } from './read-only-inverses.ts'

/**
 * ReplaceItem: the whole item is what was sent; members it did not send are gone. Creates the item
 * where the model says `upsert`.
 */
export function replaceItem(job: PayloadOperationInput): Promise<OperationResult> {
  return job.store.write(async (transaction) => {
    const isNew = job.view.model.allowsUpsert && !(await itemExists(transaction, job))
    return isNew ? createWithId(transaction, job) : changeExisting(transaction, job, 'replace')
  })
}

/**
 * An item that the caller sees, but may not replace, is there too: nothing can be created in its
 * place.
 */
async function itemExists(
  transaction: StoreTransaction,
  { view, plan, guards, context }: PayloadOperationInput,
): Promise<boolean> {
  const { model } = view
  if (await transaction.find(model, plan.condition)) return true
  const seen = andAlso(guards.readCondition(model, context), idEquals(context.id!))
  return (await transaction.find(model, seen)) !== undefined
}

async function createWithId(
  transaction: StoreTransaction,
  job: PayloadOperationInput,
): Promise<OperationResult> {
  refuseOtherId(job)
  refuseUnusableId(job)
  const id = job.context.id!
  const problems = await readOnlyInverseProblems(transaction, job, undefined)
  const members = await completeNewItem(transaction, job, id, problems)
  checkPreconditions(job, undefined)
  return { kind: 'created', item: await storeNewItem(transaction, job, { ...members, id }) }
}
