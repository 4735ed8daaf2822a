import { hasReachedMaxProblems, refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { InverseField } from '../../model/model-description.ts'
import { capitalize, toWordsWithArticle } from '../../model/naming.ts'
import { always, andAlso, idEquals, relatesToAny } from '../../query/conditions.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import { missingRelatedErrors } from '../../rule/request-shape.ts'
import type { LinkagePayload, PayloadValue } from '../../serializer/payload.ts'
import type { StoreTransaction } from '../../store/store.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { fetchByIds } from '../fetch-by-ids.ts'
import { missingItemDetail } from '../missing-item-detail.ts'
import type { OperationInput, PayloadOperationInput } from '../operation-input.ts'
import { changeGuardedItem, changeGuardedItemErrors } from './change-guarded-item.ts'
import { replacementErrors, replacementForbidden } from './refuse-replacement.ts'

const ownErrors = [
  'precondition-required',
  ...missingRelatedErrors,
  'forbidden',
  'conflict',
] as const

export const inverseRelationErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...replacementErrors,
  // Only a relation of the related items changes.
  ...withoutErrors(changeGuardedItemErrors, ['value-taken']),
]

const { problem, refuse } = refusalsOf(ownErrors)

/** How the ids of a relation change. */
export type LinkageChange = 'add' | 'replace' | 'remove'

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
  transaction: StoreTransaction,
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
  // One of the changed items may be the item itself.
  const isOwn = changed.some(({ relatedModel }) => relatedModel === input.view.model)
  const item =
    (isOwn && (await transaction.find(input.view.model, idEquals(writtenItem.id)))) || writtenItem
  return { item, changedRelations: changed }
}

/**
 * The items that an inverse relation leads to, and that the caller may see, in batches and in the
 * order of ids.
 */
export function inverseRelatedItems(
  transaction: StoreTransaction,
  { guards, context }: OperationInput,
  { relatedModel, inverseOf }: InverseField,
  ownerId: string,
): AsyncIterable<readonly StoredItem[]> {
  const condition = andAlso(
    relatesToAny(inverseOf.name, inverseOf.kind, [ownerId]),
    guards.readCondition(relatedModel, context),
  )
  return transaction.list(relatedModel, { ...allItemsPlan, condition })
}

/**
 * Changes an inverse relation, by changing the items that hold it.
 * @returns whether the relation changed
 * @throws ApiError for each id whose item is missing, or may not be changed, or requires the
 * relation
 */
export async function changeInverseRelation(
  transaction: StoreTransaction,
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
  input.approvals.check({
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
  await writeOtherSide(transaction, input, relation, ownerId, joining, false)
  await writeOtherSide(transaction, input, relation, ownerId, leaving, true)
  return changing.length > 0
}

/**
 * Changes the related items. They are read again in batches, because there may be too many to keep.
 */
async function writeOtherSide(
  transaction: StoreTransaction,
  input: PayloadOperationInput,
  { relatedModel, inverseOf }: InverseField,
  ownerId: string,
  ids: readonly string[],
  isLeaving: boolean,
): Promise<void> {
  for await (const batch of fetchByIds(transaction, relatedModel, ids, always))
    for (const item of batch) {
      const values = readStoredValues(relatedModel, item)
      const nextLinkage = changedLinkage(values[inverseOf.name], ownerId, isLeaving)
      await changeGuardedItem(transaction, input, relatedModel, item, {
        ...values,
        [inverseOf.name]: nextLinkage,
      })
    }
}

/**
 * If the related model requires `If-Match`, a tag of the owner does not say which versions of the
 * related items the client knows: only `*` allows the change.
 * @throws ApiError `precondition-required`
 */
function refuseWithoutIfMatch(
  { precondition, views }: PayloadOperationInput,
  { relatedModel, inverseOf }: InverseField,
): void {
  if (
    !views.of(relatedModel).requiresIfMatch ||
    (precondition.kind === 'ifMatch' && precondition.tags === 'any')
  )
    return
  throw refuse(
    'precondition-required',
    `Changing ${toWordsWithArticle(relatedModel.name)} requires If-Match. Change '${inverseOf.wireName}' of each item with its own ETag, or send If-Match: * to accept any version.`,
    { header: 'If-Match' },
  )
}

/**
 * The related items that stay, and those that leave. Only a replacement has to look at items that
 * the payload does not name.
 */
async function currentLinks(
  transaction: StoreTransaction,
  input: PayloadOperationInput,
  ownerId: string,
  relation: InverseField,
  payloadIds: ReadonlyMap<string, unknown>,
  change: LinkageChange,
): Promise<{ readonly staying: ReadonlySet<string>; readonly leaving: readonly string[] }> {
  const staying = new Set<string>()
  const leaving: string[] = []
  const { inverseOf, relatedModel } = relation
  const guard = input.guards.readCondition(relatedModel, input.context)
  const relatedItems =
    change === 'replace'
      ? inverseRelatedItems(transaction, input, relation, ownerId)
      : fetchByIds(
          transaction,
          relatedModel,
          [...payloadIds.keys()],
          andAlso(relatesToAny(inverseOf.name, inverseOf.kind, [ownerId]), guard),
        )
  for await (const batch of relatedItems) {
    for (const item of batch) {
      if (payloadIds.has(item.id) === (change === 'remove')) leaving.push(item.id)
      else staying.add(item.id)
    }
  }
  return { staying, leaving }
}

/** The ids of the related item after the owner was added or removed. */
function changedLinkage(ids: unknown, ownerId: string, isLeaving: boolean): unknown {
  if (!Array.isArray(ids)) return isLeaving ? null : ownerId
  return isLeaving ? ids.filter((id) => id !== ownerId) : [...ids, ownerId]
}

async function findAddedItems(
  transaction: StoreTransaction,
  { guards, context, missingRelatedError }: PayloadOperationInput,
  { relatedModel }: InverseField,
  addedIds: readonly PayloadValue<string>[],
  problems: Problem[],
): Promise<readonly string[]> {
  const foundIds = new Set<string>()
  const ids = addedIds.map((id) => id.value)
  for await (const batch of fetchByIds(
    transaction,
    relatedModel,
    ids,
    guards.readCondition(relatedModel, context),
  ))
    for (const item of batch) foundIds.add(item.id)
  for (const { value, steps } of addedIds) {
    if (hasReachedMaxProblems(problems)) break
    const detail = missingItemDetail(relatedModel.name, value)
    if (!foundIds.has(value))
      problems.push(problem(missingRelatedError, detail, { pointer: formatPointer(steps) }))
  }
  return [...foundIds]
}

/** A change of the related item is one of its own model's updates. */
async function refuseUnwritable(
  transaction: StoreTransaction,
  { guards, context }: PayloadOperationInput,
  { relatedModel }: InverseField,
  ids: readonly string[],
  idPayloads: ReadonlyMap<string, PayloadValue<string>>,
  payload: LinkagePayload,
  problems: Problem[],
): Promise<void> {
  for (const id of ids) {
    const guard = guards.writeCondition(relatedModel, context, id)
    if (
      guard.kind === 'always' ||
      (await transaction.find(relatedModel, andAlso(guard, idEquals(id))))
    )
      continue
    if (hasReachedMaxProblems(problems)) return
    const steps =
      idPayloads.get(id)?.steps ?? (payload.kind === 'one' ? payload.id.steps : payload.steps)
    problems.push(
      problem('forbidden', `You are not allowed to change the ${relatedModel.name} '${id}'.`, {
        pointer: formatPointer(steps),
      }),
    )
  }
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
