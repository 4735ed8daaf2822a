import { refusal, refuseAll } from '../error/api-error.ts'
import type { InverseField } from '../model/description.ts'
import type { SentRelation } from '../serializer/sent.ts'
import { storedValues } from '../store/item-text.ts'
import type { StoreTransaction } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { completeItem } from './complete-item.ts'
import { findOwner, ownerJob } from './find-owner.ts'
import { changeInverse, type LinkageChange, linkedTo } from './inverse-links.ts'
import type { BodyJob, Result, ThroughJob } from './job.ts'
import { isOwnerVersion, linkageVersion } from './linkage-version.ts'
import { refuseStale } from './match.ts'
import { notReplaced } from './refuse-replacement.ts'
import { resolveRelations } from './resolve-relations.ts'
import { unseenLinks, withoutUnseen } from './unseen-links.ts'
import { changeGuarded, refuseOutcomeWith } from './write-item.ts'

type LinkageJob = BodyJob & ThroughJob

/** Changes one relation of the item in the path, in one atomic step. */
export function changeLinkage(job: LinkageJob, change: LinkageChange): Promise<Result> {
  const { relation } = job.through
  return job.store.write(async (transaction) => {
    const owner = await findOwner(transaction, job)
    if (relation.kind === 'toOne' && change !== 'replace') throw onlyReplaced(relation.wire)
    if (relation.kind !== 'toOne' && !relation.replaceable && change === 'replace')
      refuseAll([notReplaced(relation, undefined)])
    if (relation.kind !== 'inverse') {
      const changed = await changeOwned(transaction, job, owner, change)
      return { kind: 'related', etag: changed.hash === null ? undefined : `"${changed.hash}"` }
    }
    const version = await versionOf(transaction, job, relation, owner)
    refuseStale(ownerJob(job), owner, (tag) => tag === version || isOwnerVersion(owner, tag))
    const sent = job.sent.relations.get(relation.name)!
    const isChanged = await changeInverse(transaction, job, owner.id, relation, sent, change)
    const { model } = job.through.view
    const outcome = job.guards.outcome(model, job.context, owner.id)
    await refuseOutcomeWith(isChanged ? [relation] : [], false, transaction, outcome, model, owner)
    return { kind: 'related', etag: undefined }
  })
}

/** Looked up only for those who ask: the relation may be huge. */
async function versionOf(
  transaction: StoreTransaction,
  job: LinkageJob,
  relation: InverseField,
  owner: StoredItem,
): Promise<string | undefined> {
  if (owner.hash === null || job.precondition.kind === 'none') return undefined
  const ids: string[] = []
  for await (const batch of linkedTo(transaction, job, relation, owner.id)) for (const item of batch) ids.push(item.id)
  return linkageVersion(owner, ids)
}

async function changeOwned(
  transaction: StoreTransaction,
  given: LinkageJob,
  owner: StoredItem,
  change: LinkageChange,
): Promise<StoredItem> {
  const job = ownerJob(given)
  const { name } = given.through.relation
  const stored = storedValues(job.view.model, owner)
  const unseen = await unseenLinks(transaction, job, stored)
  const sent = idsOf(job.sent.relations.get(name))
  const held = [stored[name]].flat().filter((id) => typeof id === 'string')
  let next: unknown
  if (change === 'replace') {
    next = (await completeItem(job, { kind: 'merge', stored, unseen }))[name]
    await resolveRelations(transaction, job, withoutUnseen(stored, unseen))
  } else if (change === 'add') {
    await resolveRelations(transaction, job, withoutUnseen(stored, unseen))
    const known = new Set(held)
    next = [...held, ...sent.filter((id) => !known.has(id))]
  } else {
    const hidden = new Set(unseen.get(name))
    const removed = new Set(sent.filter((id) => !hidden.has(id)))
    next = held.filter((id) => !removed.has(id))
  }
  refuseStale(job, owner)
  return changeGuarded(transaction, job, job.view.model, owner, { ...stored, [name]: next })
}

function idsOf(sent: SentRelation | undefined): readonly string[] {
  return sent?.kind === 'many' ? sent.ids.map((id) => id.value) : []
}

function onlyReplaced(wire: string): Error {
  return refusal('forbidden', `'${wire}' relates to one item: it can be replaced or cleared, but nothing added to it.`)
}
