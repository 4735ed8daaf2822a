import { hasReachedMaxProblems, refuse, refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { InverseField } from '../../model/model-description.ts'
import { always, andAlso, idEquals, relatesToAny } from '../../query/conditions.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import type { LinkagePayload, PayloadValue } from '../../serializer/payload.ts'
import type { StoreTransaction } from '../../store/store.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { fetchByIds } from '../fetch-by-ids.ts'
import type { OperationInput, PayloadOperationInput } from '../operation-input.ts'
import { replacementForbidden } from './refuse-replacement.ts'
import { changeGuardedItem } from './write-item.ts'

/** What becomes of the identifiers that a relation holds. */
export type LinkageChange = 'add' | 'replace' | 'remove'

/** An item whose inverse relations were written, and those of them that now hold something else. */
export interface InverseWriteResult {
  readonly item: StoredItem
  readonly changedRelations: readonly InverseField[]
}

/**
 * Writes the inverse relations that were sent with an item: on the other side, which holds them.
 * @param change to a new item, which nothing relates to yet, all is added
 */
export async function writeInverseRelations(
  transaction: StoreTransaction,
  job: PayloadOperationInput,
  written: StoredItem,
  change: Exclude<LinkageChange, 'remove'>,
): Promise<InverseWriteResult> {
  const changed: InverseField[] = []
  for (const relation of job.view.model.relations) {
    const sent = relation.kind === 'inverse' ? job.payload.relations.get(relation.name) : undefined
    if (relation.kind !== 'inverse' || !sent) continue
    if (await changeInverseRelation(transaction, job, written.id, relation, sent, change))
      changed.push(relation)
  }
  // Among those that were changed may be the item itself.
  const isOwn = changed.some(({ relatedModel }) => relatedModel === job.view.model)
  const item = (isOwn && (await transaction.find(job.view.model, idEquals(written.id)))) || written
  return { item, changedRelations: changed }
}

/**
 * The items that an inverse relation holds, of those that the caller may see, in the order of ids
 * and in batches.
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
 * Changes what an inverse relation holds, by changing the items that hold the other side.
 * @returns whether it holds something else now
 * @throws ApiError for each identifier that leads nowhere, that the caller may not change, or whose
 * other side requires a value.
 */
export async function changeInverseRelation(
  transaction: StoreTransaction,
  job: PayloadOperationInput,
  ownerId: string,
  relation: InverseField,
  sent: LinkagePayload,
  change: LinkageChange,
): Promise<boolean> {
  const { relatedModel, inverseOf } = relation
  const ids = new Map((sent.kind === 'many' ? sent.ids : []).map((id) => [id.value, id]))
  const { staying, leaving } = await currentLinks(transaction, job, ownerId, relation, ids, change)
  const added = change === 'remove' ? [] : [...ids.values()].filter((id) => !staying.has(id.value))
  // Before anything is said of them, as where they are asked for themselves. The owner is what the
  // request is about already.
  const changing = [...added.map((id) => id.value), ...leaving]
  job.approvals.check({
    model: relatedModel,
    ids:
      inverseOf.relatedModel === relatedModel ? changing.filter((id) => id !== ownerId) : changing,
  })
  if (changing.length > 0) refuseWithoutIfMatch(job, relation)
  const problems: Problem[] = []
  if (change === 'replace' && !relation.isReplaceable && changing.length > 0)
    problems.push(replacementForbidden(relation, sent))
  if (leaving.length > 0 && inverseOf.kind === 'toOne' && !inverseOf.isOptional)
    problems.push(relationRequired(relation, sent))
  const joining = await findAddedItems(transaction, job, relation, added, problems)
  await refuseUnwritable(transaction, job, relation, [...joining, ...leaving], ids, sent, problems)
  refuseAll(problems)
  await writeOtherSide(transaction, job, relation, ownerId, joining, false)
  await writeOtherSide(transaction, job, relation, ownerId, leaving, true)
  return changing.length > 0
}

/**
 * Writes the other side of so many items: they are read again, for there may be more than anybody
 * should hold.
 */
async function writeOtherSide(
  transaction: StoreTransaction,
  job: PayloadOperationInput,
  { relatedModel, inverseOf }: InverseField,
  ownerId: string,
  ids: readonly string[],
  isLeaving: boolean,
): Promise<void> {
  for await (const batch of fetchByIds(transaction, relatedModel, ids, always))
    for (const item of batch) {
      const values = readStoredValues(relatedModel, item)
      const next = changedLinkage(values[inverseOf.name], ownerId, isLeaving)
      await changeGuardedItem(transaction, job, relatedModel, item, {
        ...values,
        [inverseOf.name]: next,
      })
    }
}

/**
 * Where their model wants `If-Match`, no tag of the owner tells which versions of its items the
 * client knows: only who says that any will do may change them from here.
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
    `Every change of a ${relatedModel.name} names the version that it is made on: change '${inverseOf.wireName}' of each with its own ETag in If-Match, or send If-Match: * to change them in any version.`,
    { header: 'If-Match' },
  )
}

/**
 * Of what the relation holds now: which stay, and which go. Only a replacement has to look at those
 * that were not sent.
 */
async function currentLinks(
  transaction: StoreTransaction,
  job: PayloadOperationInput,
  ownerId: string,
  relation: InverseField,
  sent: ReadonlyMap<string, unknown>,
  change: LinkageChange,
): Promise<{ readonly staying: ReadonlySet<string>; readonly leaving: readonly string[] }> {
  const staying = new Set<string>()
  const leaving: string[] = []
  const { inverseOf, relatedModel } = relation
  const guard = job.guards.readCondition(relatedModel, job.context)
  const held =
    change === 'replace'
      ? inverseRelatedItems(transaction, job, relation, ownerId)
      : fetchByIds(
          transaction,
          relatedModel,
          [...sent.keys()],
          andAlso(relatesToAny(inverseOf.name, inverseOf.kind, [ownerId]), guard),
        )
  for await (const batch of held) {
    for (const item of batch) {
      if (sent.has(item.id) === (change === 'remove')) leaving.push(item.id)
      else staying.add(item.id)
    }
  }
  return { staying, leaving }
}

/** What the other side holds once the owner is added to it, or gone from it. */
function changedLinkage(before: unknown, ownerId: string, isLeaving: boolean): unknown {
  if (!Array.isArray(before)) return isLeaving ? null : ownerId
  return isLeaving ? before.filter((id) => id !== ownerId) : [...before, ownerId]
}

async function findAddedItems(
  transaction: StoreTransaction,
  { guards, context, missingRelatedError }: PayloadOperationInput,
  { relatedModel }: InverseField,
  wanted: readonly PayloadValue<string>[],
  problems: Problem[],
): Promise<readonly string[]> {
  const found = new Set<string>()
  const ids = wanted.map((id) => id.value)
  for await (const batch of fetchByIds(
    transaction,
    relatedModel,
    ids,
    guards.readCondition(relatedModel, context),
  ))
    for (const item of batch) found.add(item.id)
  for (const { value, steps } of wanted) {
    if (hasReachedMaxProblems(problems)) break
    const detail = `There is no ${relatedModel.name} with the id '${truncate(value, 128)}'.`
    if (!found.has(value))
      problems.push(problem(missingRelatedError, detail, { pointer: formatPointer(steps) }))
  }
  return [...found]
}

/** A write to the other side is one of its own model's updates. */
async function refuseUnwritable(
  transaction: StoreTransaction,
  { guards, context }: PayloadOperationInput,
  { relatedModel }: InverseField,
  ids: readonly string[],
  sent: ReadonlyMap<string, PayloadValue<string>>,
  relation: LinkagePayload,
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
      sent.get(id)?.steps ?? (relation.kind === 'one' ? relation.id.steps : relation.steps)
    problems.push(
      problem('forbidden', `The ${relatedModel.name} '${id}' may not be changed here.`, {
        pointer: formatPointer(steps),
      }),
    )
  }
}

function relationRequired(
  { wireName, relatedModel, inverseOf }: InverseField,
  sent: LinkagePayload,
): Problem {
  const detail = `Every ${relatedModel.name} requires '${inverseOf.wireName}', so none can be taken out of '${wireName}'; give it another, or delete it.`
  return problem('conflict', detail, {
    pointer: formatPointer(sent.kind === 'one' ? sent.id.steps : sent.steps),
  })
}
