import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import { andAlso, idEquals } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { fromModelInstance, toModelInstance } from '../model-instance.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import type { OperationResult } from '../operation-result.ts'
import type { RelatedItemsByModel } from '../related-items.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { checkOutcome, checkOutcomeErrors } from './check-outcome.ts'
import { completeItem, completeItemErrors } from './complete-item.ts'
import { checkGuardedMembers, guardedMemberErrors } from './guarded-members.ts'
import { alreadyExists, insertItem, insertItemErrors } from './insert-item.ts'
import { inverseRelationErrors, writeInverseRelations } from './inverse-relations.ts'
import type { Members } from './item-base.ts'
import { itemIdErrors, newItemId } from './item-id.ts'
import { lockForLinks } from './lock-for-links.ts'
import { readOnlyInverseErrors, readOnlyInverseProblems } from './read-only-inverses.ts'
import {
  checkRelations,
  refuseWithMissingRelations,
  resolveRelations,
  resolveRelationsErrors,
} from './resolve-relations.ts'
import { restOfWrite } from './rest-of-write.ts'
import { refersToItself, selfReferences } from './self-references.ts'
import {
  findServiceTargets,
  serviceLinkErrors,
  serviceTargetCounts,
  withServiceLinks,
} from './service-links.ts'
import { serviceMemberErrors, withServiceMembers } from './service-members.ts'

export const createItemErrors: readonly ErrorCode[] = [
  ...serviceMemberErrors,
  ...guardedMemberErrors,
  ...serviceLinkErrors,
  ...readOnlyInverseErrors,
  ...itemIdErrors,
  ...completeItemErrors,
  ...resolveRelationsErrors,
  ...insertItemErrors,
  // Nothing relates to a new item yet, so nothing leaves it.
  ...withoutErrors(inverseRelationErrors, ['conflict']),
  ...checkOutcomeErrors,
]

/** CreateItem: validates, looks up relations, runs the model's own class, and stores the item. */
export async function createItem(sentInput: PayloadOperationInput): Promise<OperationResult> {
  const input = withServiceMembers(sentInput)
  const guarded = await checkGuardedMembers(input.store, sentInput, undefined)
  const problems = [
    ...guarded.problems,
    ...(await readOnlyInverseProblems(input.store, input, undefined)),
  ]
  const id = newItemId(input.view, input.payload, problems)
  const members = await completeNewItem(input.store, input, id, problems)
  return input.store.write(async (transaction) => {
    await lockForLinks(transaction, input, { change: 'add', replacesItem: false })
    const item = await storeNewItem(transaction, input, { ...members, id }, guarded.outcome)
    return { kind: 'created', item }
  })
}

/**
 * The payload as a whole new item. Its problems are reported together with missing related items.
 */
export async function completeNewItem(
  reader: StoreReader,
  input: PayloadOperationInput,
  id: string,
  problems: Problem[],
): Promise<Members> {
  try {
    return await completeItem(input, { kind: 'new' }, problems)
  } catch (error) {
    return refuseWithMissingRelations(reader, input, uncheckedLinks(input, id), error)
  }
}

/**
 * Stores a validated item, once its relations are looked up.
 * @param guardedOutcome what it must satisfy besides the rules of the model
 */
export async function storeNewItem(
  transaction: UnitOfWork,
  input: PayloadOperationInput,
  values: StoredValues,
  guardedOutcome: Condition,
): Promise<StoredItem> {
  const { model } = input.view
  const related = await resolveOrRefuseTakenId(transaction, input, values)
  const stored = related
    ? fromModelInstance(model, toModelInstance(model, values, related), values)
    : values
  const { payload, context } = input
  const isProposed =
    payload.id === undefined && context.id === undefined && !refersToItself(payload)
  const outcome = andAlso(input.guards.outcomeCondition(model, context), guardedOutcome)
  const item = await insertItem(transaction, model, stored, payload, {
    id: isProposed ? 'proposed' : 'given',
    rest: restOfWrite(input, outcome),
  })
  const { item: written } = await writeInverseRelations(transaction, input, item, 'add')
  await checkOutcome(transaction, outcome, model, item)
  return transaction.latest(model, written)
}

/**
 * Looks up the relations; only the model's own class needs the items. A taken id is the first
 * problem to report. Relations are looked up before the insert, so the id is only checked here if
 * they fail.
 */
async function resolveOrRefuseTakenId(
  transaction: UnitOfWork,
  input: PayloadOperationInput,
  { id }: StoredValues,
): Promise<RelatedItemsByModel | undefined> {
  const { model } = input.view
  const before = uncheckedLinks(input, id)
  const resolve = () => resolveRelations(transaction, input, before)
  const idFirst = async <T>(look: () => Promise<T>): Promise<T> => {
    try {
      return await look()
    } catch (error) {
      if (await transaction.find(model, idEquals(id))) throw alreadyExists(model, input.payload)
      throw error
    }
  }
  const findTargets = () => idFirst(() => findServiceTargets(transaction, input))
  if (model.hasOwnClass) {
    await lockRelatedRollups(transaction, input, before)
    const serviceTargets = model.serviceFields.length === 0 ? undefined : await findTargets()
    return mergeRelated(await idFirst(resolve), serviceTargets)
  }
  const counts = model.serviceFields.length === 0 ? [] : serviceTargetCounts(input)
  if (counts.length > 0) await transaction.check({ counts, refuse: findTargets })
  await checkRelations(transaction, input, before, () => idFirst(resolve))
  return undefined
}

/** An own class is made of the related items, which others may not write until it is stored. */
function lockRelatedRollups(
  transaction: UnitOfWork,
  { view, payload, guards, context }: PayloadOperationInput,
  unchecked: StoredValues,
): Promise<void> | undefined {
  const items = view.model.ownedRelations.flatMap(({ name, relatedModel: model }) => {
    const linkage = payload.relations.get(name)
    if (model.rollupFields.length === 0 || !linkage || linkage.kind === 'none') return []
    const ids = (linkage.kind === 'one' ? [linkage.id] : linkage.ids).map(({ value }) => value)
    return unchecked[name] === undefined
      ? [{ model, ids, condition: guards.readCondition(model, context) }]
      : [{ model, ids }]
  })
  return items.length === 0 ? undefined : transaction.lockFirst(() => items)
}

/** Relations that are not looked up: to the item itself, and those that the service sets. */
function uncheckedLinks(input: PayloadOperationInput, id: string): StoredValues {
  const ownLinks = selfReferences(input.view, id)
  return input.view.model.serviceFields.length === 0 ? ownLinks : withServiceLinks(input, ownLinks)
}

function mergeRelated(
  first: RelatedItemsByModel,
  second: RelatedItemsByModel | undefined,
): RelatedItemsByModel {
  if (!second) return first
  const all = new Map(first)
  for (const [model, items] of second)
    all.set(model, new Map([...(first.get(model) ?? []), ...items]))
  return all
}
