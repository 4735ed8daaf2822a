import { isReadable } from '../../model/model-view.ts'
import type { StoreTransaction } from '../../store/store.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import { findItem } from '../find-item.ts'
import type { OperationResult, PayloadOperationInput } from '../operation-input.ts'
import { checkPreconditions } from '../preconditions.ts'
import { completeItem, type ItemBase, type Members } from './complete-item.ts'
import { writeInverseRelations } from './inverse-relations.ts'
import { refuseOtherId } from './item-id.ts'
import { readOnlyInverseProblems } from './read-only-inverses.ts'
import { refuseReplacement } from './refuse-replacement.ts'
import { refuseWithMissingRelations, resolveRelations } from './resolve-relations.ts'
import { findUnseenLinks, withoutUnseen } from './unseen-links.ts'
import { changeItem, checkOutcomeWithInverses } from './write-item.ts'

/**
 * Writes what was sent over the item in the path: merged into it, or in its place. The whole is
 * validated, and relations that are new to it are looked up, before its version is held against the
 * one that the client knows.
 */
export async function changeExisting(
  transaction: StoreTransaction,
  job: PayloadOperationInput,
  kind: Exclude<ItemBase['kind'], 'new'>,
): Promise<OperationResult> {
  const { model } = job.view
  const current = await findItem(transaction, job)
  refuseOtherId(job)
  const stored = readStoredValues(model, current)
  const unseen = await findUnseenLinks(transaction, job, stored)
  const seen = withoutUnseen(stored, unseen)
  let members: Members
  try {
    const problems = await readOnlyInverseProblems(transaction, job, current.id)
    members = await completeItem(job, { kind, stored, unseen }, problems)
  } catch (error) {
    return refuseWithMissingRelations(transaction, job, seen, error)
  }
  await resolveRelations(transaction, job, seen)
  refuseReplacement(job, stored, members)
  checkPreconditions(job, current)
  const values = { ...members, id: current.id }
  const written = await changeItem(
    transaction,
    model,
    current,
    values,
    job.payload,
    writesUnseen(job),
  )
  const { item, changedRelations } = await writeInverseRelations(
    transaction,
    job,
    written,
    'replace',
  )
  const outcome = job.guards.outcomeCondition(model, job.context, current.id)
  await checkOutcomeWithInverses(
    changedRelations,
    written !== current,
    transaction,
    outcome,
    model,
    current,
  )
  return { kind: 'item', item }
}

/** A version that stays would tell a client that it has guessed what it can write, but not read. */
function writesUnseen({ view, payload }: PayloadOperationInput): boolean {
  return [...payload.values.keys(), ...payload.relations.keys()].some(
    (name) => !isReadable(view, view.model.fieldsByName.get(name)!),
  )
}
