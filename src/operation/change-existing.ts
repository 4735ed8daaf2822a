import { isReadable } from '../model/model-view.ts'
import { storedValues } from '../store/item-text.ts'
import type { StoreTransaction } from '../store/store.ts'
import { type Base, completeItem, type Members } from './complete-item.ts'
import { findItem } from './find-item.ts'
import { writeInverses } from './inverse-links.ts'
import { refuseOtherId } from './item-id.ts'
import type { BodyJob, Result } from './job.ts'
import { refuseStale } from './match.ts'
import { refuseReplacement } from './refuse-replacement.ts'
import { refuseWithMissing, resolveRelations } from './resolve-relations.ts'
import { unseenLinks, withoutUnseen } from './unseen-links.ts'
import { unwrittenInverses } from './unwritten-inverses.ts'
import { changeItem, refuseOutcomeWith } from './write-item.ts'

/**
 * Writes what was sent over the item in the path: merged into it, or in its place. The whole is validated, and relations that are new to it are
 * looked up, before its version is held against the one that the client knows.
 */
export async function changeExisting(
  transaction: StoreTransaction,
  job: BodyJob,
  kind: Exclude<Base['kind'], 'new'>,
): Promise<Result> {
  const { model } = job.view
  const current = await findItem(transaction, job)
  refuseOtherId(job)
  const stored = storedValues(model, current)
  const unseen = await unseenLinks(transaction, job, stored)
  const seen = withoutUnseen(stored, unseen)
  let members: Members
  try {
    const problems = await unwrittenInverses(transaction, job, current.id)
    members = await completeItem(job, { kind, stored, unseen }, problems)
  } catch (error) {
    return refuseWithMissing(transaction, job, seen, error)
  }
  await resolveRelations(transaction, job, seen)
  refuseReplacement(job, stored, members)
  refuseStale(job, current)
  const values = { ...members, id: current.id }
  const written = await changeItem(transaction, model, current, values, job.sent, writesUnseen(job))
  const { item, changed } = await writeInverses(transaction, job, written, 'replace')
  const outcome = job.guards.outcome(model, job.context, current.id)
  await refuseOutcomeWith(changed, written !== current, transaction, outcome, model, current)
  return { kind: 'item', item }
}

/** A version that stays would tell a client that it has guessed what it can write, but not read. */
function writesUnseen({ view, sent }: BodyJob): boolean {
  return [...sent.values.keys(), ...sent.relations.keys()].some(
    (name) => !isReadable(view, view.model.byName.get(name)!),
  )
}
