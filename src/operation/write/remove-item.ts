import { refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { withoutErrors } from '../../error/without-errors.ts'
import { immutableItems } from '../../model/immutable-items.ts'
import type { InboundRelation, ModelDescription } from '../../model/model-description.ts'
import { always, andAlso, relatesToAny } from '../../query/conditions.ts'
import { allItemsPlan, type Condition } from '../../query/query-plan.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'
import { changeItem, changeItemErrors } from './change-item.ts'

const ownErrors = ['still-referenced'] as const

export const removeItemErrors: readonly ErrorCode[] = [
  ...ownErrors,
  // Clearing a relation sets no value, and makes the item smaller.
  ...withoutErrors(changeItemErrors, [
    'value-taken',
    'item-too-large',
    'invalid-member',
    'related-not-found',
  ]),
]

const { problem } = refusalsOf(ownErrors)

/** Removed items whose referring items are read with one query. */
const batchSize = 1_000

/** Removed items of one model. */
interface RemovalBatch {
  readonly model: ModelDescription
  readonly ids: readonly string[]
}

type IsSeen = (inbound: InboundRelation) => boolean

/** All removed items by model. Each is removed once, so circular references end. */
type Removals = Map<ModelDescription, Set<string>>

/**
 * Removes an item, and applies `onDelete` of the relations to it: `restrict` refuses, `cascade`
 * removes the referring items, `set-null` clears the relation; a relation to many loses the id.
 * Immutable items restrict, because they can neither be removed nor lose a relation. Referring
 * items are read in batches.
 * @param isSeen does the caller know the relation? Messages name no other
 * @throws ApiError `still-referenced`
 */
export async function removeItem(
  transaction: UnitOfWork,
  model: ModelDescription,
  id: string,
  isSeen: IsSeen,
): Promise<void> {
  const removals: Removals = new Map([[model, new Set([id])]])
  const batches: RemovalBatch[] = [{ model, ids: [id] }]
  // Cascades append batches.
  for (const batch of batches)
    batches.push(...(await removeBatch(transaction, batch, removals, isSeen)))
}

/**
 * Checks what refers to the item itself, before anything is locked or removed.
 * @throws ApiError `still-referenced`
 */
export function refuseRestricted(
  reader: StoreReader,
  model: ModelDescription,
  id: string,
  isSeen: IsSeen,
): Promise<void> {
  const ids = [id]
  return refuseReferenced(reader, { model, ids }, new Map([[model, new Set(ids)]]), isSeen)
}

async function removeBatch(
  transaction: UnitOfWork,
  batch: RemovalBatch,
  removals: Removals,
  isSeen: IsSeen,
): Promise<readonly RemovalBatch[]> {
  const { model, ids } = batch
  await refuseReferenced(transaction, batch, removals, isSeen)
  for (const id of ids) await transaction.remove(model, id)
  const nextBatches: RemovalBatch[] = []
  for (const inbound of model.inboundRelations) {
    if (inbound.relation.kind === 'toMany' || inbound.relation.onDelete === 'set-null')
      await unlink(transaction, inbound, batch, removals)
    else if (inbound.relation.onDelete === 'cascade')
      nextBatches.push(...(await cascade(transaction, inbound, batch, removals)))
  }
  return nextBatches
}

async function refuseReferenced(
  reader: StoreReader,
  batch: RemovalBatch,
  removals: Removals,
  isSeen: IsSeen,
): Promise<void> {
  const problems: Problem[] = []
  for (const inbound of batch.model.inboundRelations) {
    const { owner, relation } = inbound
    const restricting = restrictingItems(inbound)
    if (restricting.kind === 'never') continue
    // Items that are removed too, such as one that refers to itself, restrict nothing.
    if (await isStillReferenced(reader, inbound, restricting, batch, removals)) {
      const by = isSeen(inbound) ? `'${relation.wireName}' of ${owner.plural}` : 'other items'
      problems.push(
        problem(
          'still-referenced',
          `The ${batch.model.name} is still referenced by ${by}. Change or delete these first.`,
        ),
      )
    }
  }
  refuseAll(problems)
}

/** Of the items that refer to a removed one, those that must not. */
function restrictingItems({ owner, relation }: InboundRelation): Condition {
  if (relation.kind === 'toOne' && relation.onDelete === 'restrict') return always
  const removesOwner = relation.kind === 'toOne' && relation.onDelete === 'cascade'
  return immutableItems(owner, removesOwner ? undefined : relation.name)
}

async function isStillReferenced(
  reader: StoreReader,
  inbound: InboundRelation,
  restricting: Condition,
  batch: RemovalBatch,
  removals: Removals,
): Promise<boolean> {
  for await (const items of referringItems(reader, inbound, batch, restricting))
    if (items.some((item) => !removals.get(inbound.owner)?.has(item.id))) return true
  return false
}

/** The referring items that are removed too, without those that are known already. */
async function cascade(
  transaction: UnitOfWork,
  inbound: InboundRelation,
  batch: RemovalBatch,
  removals: Removals,
): Promise<readonly RemovalBatch[]> {
  const { owner: model } = inbound
  const removedIds = removals.get(model) ?? new Set()
  removals.set(model, removedIds)
  const ids: string[] = []
  for await (const items of referringItems(transaction, inbound, batch))
    for (const { id } of items) {
      if (removedIds.has(id)) continue
      removedIds.add(id)
      ids.push(id)
    }
  return Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, index) => ({
    model,
    ids: ids.slice(index * batchSize, (index + 1) * batchSize),
  }))
}

/** Removes the ids from relations of items that stay. */
async function unlink(
  transaction: UnitOfWork,
  inbound: InboundRelation,
  batch: RemovalBatch,
  removals: Removals,
): Promise<void> {
  const { owner, relation } = inbound
  const removedHere = removals.get(batch.model)!
  const removedOwners = removals.get(owner)
  for await (const items of referringItems(transaction, inbound, batch))
    for (const item of items) {
      if (removedOwners?.has(item.id)) continue
      const values = readStoredValues(owner, item)
      const ids = values[relation.name]
      const remaining = Array.isArray(ids) ? ids.filter((id) => !removedHere.has(id)) : null
      await changeItem(transaction, owner, item, { ...values, [relation.name]: remaining })
    }
}

function referringItems(
  reader: StoreReader,
  { owner, relation }: InboundRelation,
  { ids }: RemovalBatch,
  which: Condition = always,
): AsyncIterable<readonly StoredItem[]> {
  return reader.list(owner, {
    ...allItemsPlan,
    condition: andAlso(relatesToAny(relation.name, relation.kind, ids), which),
  })
}
