import { refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { InverseField } from '../../model/model-description.ts'
import { toWordsWithArticle } from '../../model/naming.ts'
import { always, idEquals } from '../../query/conditions.ts'
import type { ItemPayload, LinkagePayload } from '../../serializer/payload.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { capitalize } from '../../text/message-text.ts'
import { fetchByIds } from '../fetch-by-ids.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import { itemsWithMasked } from '../shown-item.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { changeGuardedItem, changeGuardedItemErrors } from './change-guarded-item.ts'
import {
  findAddedItems,
  inverseChangeErrors,
  refuseUnwritable,
  refuseWithoutIfMatch,
} from './check-inverse-change.ts'
import { changedLinkage, currentLinks, type LinkageChange } from './inverse-links.ts'
import { replacementErrors, replacementForbidden } from './refuse-replacement.ts'

const ownErrors = ['conflict'] as const

export const inverseRelationErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...inverseChangeErrors,
  ...replacementErrors,
  // Only a relation of the related items changes.
  ...withoutErrors(changeGuardedItemErrors, ['invalid-member', 'related-not-found']),
]

const { problem } = refusalsOf(ownErrors)

/** An item, and those of its inverse relations that changed. */
export interface InverseWriteResult {
  readonly item: StoredItem
  readonly changedRelations: readonly InverseField[]
}

/**
 * Writes the inverse relations of a payload at the related items, which hold the ids.
 * @param change `add` for a new item, to which nothing relates yet
 */
export async function writeInverseRelations(
  transaction: UnitOfWork,
  input: PayloadOperationInput,
  writtenItem: StoredItem,
  change: Exclude<LinkageChange, 'remove'>,
): Promise<InverseWriteResult> {
  const changed: InverseField[] = []
  for (const relation of input.view.model.relations) {
    const payload =
      relation.kind === 'inverse' ? input.payload.relations.get(relation.name) : undefined
    if (relation.kind !== 'inverse' || !payload) continue
    if (await changeInverseRelation(transaction, input, writtenItem.id, relation, payload, change))
      changed.push(relation)
  }
  const { model } = input.view
  // One of the changed items may be the item itself.
  const isOwn = changed.some(({ relatedModel }) => relatedModel === model)
  const item = (isOwn && (await transaction.find(model, idEquals(writtenItem.id)))) || writtenItem
  return { item, changedRelations: changed }
}

/**
 * Changes an inverse relation, by changing the items that hold it.
 * @returns whether the relation changed
 * @throws ApiError for each id whose item is missing, or may not be changed, or requires the
 * relation
 */
export async function changeInverseRelation(
  transaction: UnitOfWork,
  input: PayloadOperationInput,
  ownerId: string,
  relation: InverseField,
  payload: LinkagePayload,
  change: LinkageChange,
): Promise<boolean> {
  const { relatedModel, inverseOf } = relation
  const ids = new Map((payload.kind === 'many' ? payload.ids : []).map((id) => [id.value, id]))
  const { staying, leaving } = await currentLinks(
    transaction,
    input,
    ownerId,
    relation,
    ids,
    change,
  )
  const added = change === 'remove' ? [] : [...ids.values()].filter((id) => !staying.has(id.value))
  // Hooks decide before anything is revealed about the items, as in a request for the items
  // themselves. The owner is the subject of the request already.
  const changing = [...added.map((id) => id.value), ...leaving]
  await input.approvals.check({
    model: relatedModel,
    ids:
      inverseOf.relatedModel === relatedModel ? changing.filter((id) => id !== ownerId) : changing,
  })
  if (changing.length > 0) refuseWithoutIfMatch(input, relation)
  const problems: Problem[] = []
  if (change === 'replace' && !relation.isReplaceable && changing.length > 0)
    problems.push(replacementForbidden(relation, payload))
  if (leaving.length > 0 && inverseOf.kind === 'toOne' && !inverseOf.isOptional)
    problems.push(relationRequired(relation, payload))
  const joining = await findAddedItems(transaction, input, relation, added, problems)
  await refuseUnwritable(
    transaction,
    input,
    relation,
    [...joining, ...leaving],
    ids,
    payload,
    problems,
  )
  refuseAll(problems)
  await writeOtherSide(transaction, input, relation, payload, ownerId, joining, false)
  await writeOtherSide(transaction, input, relation, payload, ownerId, leaving, true)
  return changing.length > 0
}

/**
 * Changes the related items. They are read again in batches, because there may be too many to keep.
 */
async function writeOtherSide(
  transaction: UnitOfWork,
  input: PayloadOperationInput,
  relation: InverseField,
  payload: LinkagePayload,
  ownerId: string,
  ids: readonly string[],
  isLeaving: boolean,
): Promise<void> {
  const { relatedModel, inverseOf } = relation
  const { name } = inverseOf
  for await (const batch of fetchByIds(transaction, relatedModel, ids, always)) {
    const masked = await itemsWithMasked(transaction, input, relatedModel, batch, name)
    for (const item of batch) {
      const values = readStoredValues(relatedModel, item)
      const nextLinkage = changedLinkage(values[inverseOf.name], ownerId, isLeaving)
      const nextValues = { ...values, [inverseOf.name]: nextLinkage }
      const itemPayload = payloadOf(input.payload, relation, payload, item.id)
      await changeGuardedItem(
        transaction,
        input,
        relatedModel,
        item,
        nextValues,
        itemPayload,
        [name],
        masked.has(item.id) ? new Set([name]) : undefined,
      )
    }
  }
}

/** What the client sent about one related item: its id stands for the relation to the owner. */
function payloadOf(
  itemPayload: ItemPayload,
  { inverseOf }: InverseField,
  linkage: LinkagePayload,
  relatedId: string,
): ItemPayload {
  const ids = linkage.kind === 'many' ? linkage.ids : []
  const id = ids.find(({ value }) => value === relatedId)
  const relations = new Map(id ? [[inverseOf.name, { kind: 'one', id } as const]] : [])
  return { ...itemPayload, id: undefined, values: new Map(), relations }
}

function relationRequired(
  { wireName, relatedModel, inverseOf }: InverseField,
  payload: LinkagePayload,
): Problem {
  const detail = `${capitalize(toWordsWithArticle(relatedModel.name))} requires '${inverseOf.wireName}', so it cannot be removed from '${wireName}'. Set its '${inverseOf.wireName}' to another item, or delete the ${relatedModel.name}.`
  return problem('conflict', detail, {
    pointer: formatPointer(payload.kind === 'one' ? payload.id.steps : payload.steps),
  })
}
