import type { ErrorCode } from '../../error/catalog.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import type { InverseField } from '../../model/model-description.ts'
import { isReadOnlyRelation } from '../../model/relation-kinds.ts'
import type { LinkagePayload } from '../../serializer/payload.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { AllowedLinkageChangeInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import { checkPreconditions, preconditionErrors } from '../preconditions.ts'
import { seenItem, shownItem } from '../shown-item.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { changeGuardedItem, changeGuardedItemErrors } from '../write/change-guarded-item.ts'
import { changeRulesOutcome } from '../write/change-rules.ts'
import {
  checkOutcome,
  checkOutcomeErrors,
  checkOutcomeWithInverses,
} from '../write/check-outcome.ts'
import { completeItem, completeItemErrors } from '../write/complete-item.ts'
import { guardedMemberErrors, refuseGuardedField } from '../write/guarded-members.ts'
import { inverseRelatedItems, type LinkageChange } from '../write/inverse-links.ts'
import { changeInverseRelation, inverseRelationErrors } from '../write/inverse-relations.ts'
import { lockForLinks } from '../write/lock-for-links.ts'
import { checkRelations, resolveRelationsErrors } from '../write/resolve-relations.ts'
import { isSameMember, sentValue } from '../write/sent-member.ts'
import { isUnchangedInverse } from '../write/unchanged-inverse.ts'
import { findUnseenLinks, seenValues } from '../write/unseen-links.ts'
import { findOwner, findOwnerErrors, ownerInput } from './find-owner.ts'
import { isOwnerVersion, linkageVersion } from './linkage-version.ts'
import {
  linkageChangeRefusal,
  refuseLinkageChangeErrors,
  refuseOtherLinkage,
} from './refuse-linkage-change.ts'

export const changeLinkageErrors: readonly ErrorCode[] = [
  ...refuseLinkageChangeErrors,
  ...findOwnerErrors,
  ...preconditionErrors,
  ...guardedMemberErrors,
  // The payload names ids only.
  ...withoutErrors(completeItemErrors, ['unknown-member', 'invalid-resource']),
  ...resolveRelationsErrors,
  ...changeGuardedItemErrors,
  ...inverseRelationErrors,
  ...checkOutcomeErrors,
]

/** Changes one relation of the item in the path, in one atomic step. */
export function changeLinkage(
  input: AllowedLinkageChangeInput,
  change: LinkageChange,
): Promise<OperationResult> {
  const { relation } = input.relationTarget
  return input.store.write(async (transaction) => {
    await lockForLinks(transaction, ownerInput(input), {
      change,
      replacesItem: false,
      check: (item) => checkLinkageVersion(transaction, input, item),
    })
    const owner = await findOwner(transaction, input)
    linkageChangeRefusal(relation, change)?.()
    if (relation.kind !== 'inverse') {
      const changed = await changeOwnedRelation(transaction, input, owner, change)
      const { hash } = await shownItem(transaction, ownerInput(input), changed)
      return { kind: 'relationChanged', etag: hash === null ? undefined : `"${hash}"` }
    }
    await checkLinkageVersion(transaction, input, owner)
    const { model } = input.relationTarget.owner
    const rulesOutcome = await changeRulesOutcome(transaction, input, model, owner, [relation.name])
    const linkage = input.payload.relations.get(relation.name)!
    if (isReadOnlyRelation(relation)) {
      if (!(await isUnchangedInverse(transaction, input, owner.id, relation, linkage)))
        refuseOtherLinkage(relation)
      return { kind: 'relationChanged', etag: undefined }
    }
    const isChanged = await changeInverseRelation(
      transaction,
      input,
      owner.id,
      relation,
      linkage,
      change,
    )
    // The outcome says it of a rule that names `before`.
    const isChangeRule = input.guards.fields.writeDecision(model, relation.name)?.kind === 'change'
    if (isChanged && !isChangeRule)
      await refuseGuardedField(transaction, ownerInput(input), relation.name, owner)
    const outcome = input.guards.outcomeCondition(model, input.context, owner.id)
    await checkOutcomeWithInverses(
      isChanged ? [relation] : [],
      false,
      transaction,
      outcome,
      model,
      owner,
    )
    if (isChanged) await checkOutcome(transaction, rulesOutcome, model, owner)
    return { kind: 'relationChanged', etag: undefined }
  })
}

/** The preconditions hold for an inverse relation, or for its owner. */
async function checkLinkageVersion(
  transaction: UnitOfWork,
  input: AllowedLinkageChangeInput,
  owner: StoredItem,
): Promise<void> {
  const { relation } = input.relationTarget
  if (relation.kind !== 'inverse') return
  const shownOwner = await shownItem(transaction, ownerInput(input), owner)
  const version = await inverseLinkageVersion(transaction, input, relation, shownOwner)
  checkPreconditions(
    ownerInput(input),
    shownOwner,
    (tag) => tag === version || isOwnerVersion(shownOwner, tag),
  )
}

/** Read only for requests with a precondition, because the relation may be huge. */
async function inverseLinkageVersion(
  transaction: UnitOfWork,
  input: AllowedLinkageChangeInput,
  relation: InverseField,
  owner: StoredItem,
): Promise<string | undefined> {
  if (owner.hash === null || input.precondition.kind === 'none') return undefined
  const ids: string[] = []
  for await (const batch of inverseRelatedItems(transaction, input, relation, owner.id))
    for (const item of batch) ids.push(item.id)
  return linkageVersion(owner, ids)
}

async function changeOwnedRelation(
  transaction: UnitOfWork,
  relationInput: AllowedLinkageChangeInput,
  owner: StoredItem,
  change: LinkageChange,
): Promise<StoredItem> {
  const input = ownerInput(relationInput)
  const { name } = relationInput.relationTarget.relation
  const stored = readStoredValues(input.view.model, owner)
  const { shown, masked } = await seenItem(transaction, input, owner)
  const unseen = await findUnseenLinks(transaction, input, stored, masked)
  const linkage = input.payload.relations.get(name)
  const { relation } = relationInput.relationTarget
  const seen = seenValues(input.view.model, stored, unseen, masked)
  if (isReadOnlyRelation(relation) && !isSameMember(payloadId(linkage), seen[name]))
    refuseOtherLinkage(relation)
  const newIds = payloadIds(linkage)
  const storedIds = [stored[name]].flat().filter((id) => typeof id === 'string')
  let next: unknown
  if (change === 'replace') {
    next = (await completeItem(input, { kind: 'merge', stored, unseen, masked, kept: masked }))[
      name
    ]
  } else if (change === 'add') {
    const storedSet = new Set(storedIds)
    next = [...storedIds, ...newIds.filter((id) => !storedSet.has(id))]
  } else {
    const hiddenIds = new Set(unseen.get(name))
    const removedIds = new Set(newIds.filter((id) => !hiddenIds.has(id)))
    next = storedIds.filter((id) => !removedIds.has(id))
  }
  if (change !== 'remove') await checkRelations(transaction, input, seen)
  checkPreconditions(input, shown)
  const isChanged = linkage !== undefined && changesSeen(seen[name], linkage, change)
  if (isChanged) await refuseGuardedField(transaction, input, name, owner)
  const values = { ...stored, [name]: next }
  return changeGuardedItem(
    transaction,
    input,
    input.view.model,
    owner,
    values,
    input.payload,
    [name],
    isChanged && masked.has(name) ? new Set([name]) : undefined,
  )
}

/** Is the linkage more than what the caller sees already? What it does not see never decides. */
function changesSeen(seen: unknown, linkage: LinkagePayload, change: LinkageChange): boolean {
  if (change === 'replace') return !isSameMember(sentValue(linkage), seen)
  const seenIds = new Set([seen].flat())
  const isAdded = change === 'add'
  return payloadIds(linkage).some((id) => seenIds.has(id) !== isAdded)
}

function payloadId(linkage: LinkagePayload | undefined): string | null {
  return linkage?.kind === 'one' ? linkage.id.value : null
}

function payloadIds(linkage: LinkagePayload | undefined): readonly string[] {
  return linkage?.kind === 'many' ? linkage.ids.map((id) => id.value) : []
}
