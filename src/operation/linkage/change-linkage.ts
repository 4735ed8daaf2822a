import { createApiError, refuseAll } from '../../error/api-error.ts'
import type { InverseField } from '../../model/model-description.ts'
import type { LinkagePayload } from '../../serializer/payload.ts'
import type { StoreTransaction } from '../../store/store.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type {
  OperationResult,
  PayloadOperationInput,
  RelationOperationInput,
} from '../operation-input.ts'
import { checkPreconditions } from '../preconditions.ts'
import { completeItem } from '../write/complete-item.ts'
import {
  changeInverseRelation,
  inverseRelatedItems,
  type LinkageChange,
} from '../write/inverse-relations.ts'
import { replacementForbidden } from '../write/refuse-replacement.ts'
import { resolveRelations } from '../write/resolve-relations.ts'
import { findUnseenLinks, withoutUnseen } from '../write/unseen-links.ts'
import { changeGuardedItem, checkOutcomeWithInverses } from '../write/write-item.ts'
import { findOwner, ownerInput } from './find-owner.ts'
import { isOwnerVersion, linkageVersion } from './linkage-version.ts'

type LinkageOperationInput = PayloadOperationInput & RelationOperationInput

/** Changes one relation of the item in the path, in one atomic step. */
export function changeLinkage(
  job: LinkageOperationInput,
  change: LinkageChange,
): Promise<OperationResult> {
  const { relation } = job.relationTarget
  return job.store.write(async (transaction) => {
    const owner = await findOwner(transaction, job)
    if (relation.kind === 'toOne' && change !== 'replace')
      throw addToOneForbidden(relation.wireName)
    if (relation.kind !== 'toOne' && !relation.isReplaceable && change === 'replace')
      refuseAll([replacementForbidden(relation, undefined)])
    if (relation.kind !== 'inverse') {
      const changed = await changeOwnedRelation(transaction, job, owner, change)
      return { kind: 'related', etag: changed.hash === null ? undefined : `"${changed.hash}"` }
    }
    const version = await inverseLinkageVersion(transaction, job, relation, owner)
    checkPreconditions(
      ownerInput(job),
      owner,
      (tag) => tag === version || isOwnerVersion(owner, tag),
    )
    const sent = job.payload.relations.get(relation.name)!
    const isChanged = await changeInverseRelation(
      transaction,
      job,
      owner.id,
      relation,
      sent,
      change,
    )
    const { model } = job.relationTarget.view
    const outcome = job.guards.outcomeCondition(model, job.context, owner.id)
    await checkOutcomeWithInverses(
      isChanged ? [relation] : [],
      false,
      transaction,
      outcome,
      model,
      owner,
    )
    return { kind: 'related', etag: undefined }
  })
}

/** Looked up only for those who ask: the relation may be huge. */
async function inverseLinkageVersion(
  transaction: StoreTransaction,
  job: LinkageOperationInput,
  relation: InverseField,
  owner: StoredItem,
): Promise<string | undefined> {
  if (owner.hash === null || job.precondition.kind === 'none') return undefined
  const ids: string[] = []
  for await (const batch of inverseRelatedItems(transaction, job, relation, owner.id))
    for (const item of batch) ids.push(item.id)
  return linkageVersion(owner, ids)
}

async function changeOwnedRelation(
  transaction: StoreTransaction,
  given: LinkageOperationInput,
  owner: StoredItem,
  change: LinkageChange,
): Promise<StoredItem> {
  const job = ownerInput(given)
  const { name } = given.relationTarget.relation
  const stored = readStoredValues(job.view.model, owner)
  const unseen = await findUnseenLinks(transaction, job, stored)
  const sent = payloadIds(job.payload.relations.get(name))
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
  checkPreconditions(job, owner)
  return changeGuardedItem(transaction, job, job.view.model, owner, { ...stored, [name]: next })
}

function payloadIds(sent: LinkagePayload | undefined): readonly string[] {
  return sent?.kind === 'many' ? sent.ids.map((id) => id.value) : []
}

function addToOneForbidden(wire: string): Error {
  return createApiError(
    'forbidden',
    `'${wire}' relates to one item: it can be replaced or cleared, but nothing added to it.`,
  )
}
