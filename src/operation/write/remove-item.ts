import { refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import type { InboundRelation, ModelDescription } from '../../model/model-description.ts'
import { relatesToAny } from '../../query/conditions.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import type { StoreTransaction } from '../../store/store.ts'
import { readStoredValues } from '../../stored-item/create-stored-item.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { changeItem } from './write-item.ts'

/** Of how many items those that refer to them are asked for at once. */
const batchSize = 1_000

/** Items of one model that go. */
interface RemovalBatch {
  readonly model: ModelDescription
  readonly ids: readonly string[]
}

/** All items that are known to go, by model: each goes once, so that circles come to an end. */
type Removals = Map<ModelDescription, Set<string>>

/**
 * Removes an item and does to those that refer to it what their relations say: `restrict` refuses,
 * `cascade` removes them too, `set-null` clears; a relation to many loses the member. Items are
 * followed batch by batch, so that each is looked up once for each of its relations, however many
 * there are.
 * @throws ApiError `still-referenced`
 */
export async function removeItem(
  transaction: StoreTransaction,
  model: ModelDescription,
  id: string,
): Promise<void> {
  const going: Removals = new Map([[model, new Set([id])]])
  const batches: RemovalBatch[] = [{ model, ids: [id] }]
  // Those that refer to the items of a batch, and go with them, come behind it.
  for (const batch of batches) batches.push(...(await removeBatch(transaction, batch, going)))
}

async function removeBatch(
  transaction: StoreTransaction,
  batch: RemovalBatch,
  going: Removals,
): Promise<readonly RemovalBatch[]> {
  const { model, ids } = batch
  await refuseReferenced(transaction, batch, going)
  for (const id of ids) await transaction.remove(model, id)
  const next: RemovalBatch[] = []
  for (const inbound of model.inboundRelations) {
    if (inbound.relation.kind === 'toMany' || inbound.relation.onDelete === 'set-null')
      await unlink(transaction, inbound, batch, going)
    else if (inbound.relation.onDelete === 'cascade')
      next.push(...(await cascade(transaction, inbound, batch, going)))
  }
  return next
}

async function refuseReferenced(
  transaction: StoreTransaction,
  batch: RemovalBatch,
  going: Removals,
): Promise<void> {
  const problems: Problem[] = []
  for (const inbound of batch.model.inboundRelations) {
    const { owner, relation } = inbound
    if (relation.kind !== 'toOne' || relation.onDelete !== 'restrict') continue
    // An item that goes itself, such as one that refers to itself, holds nothing back.
    if (await isStillReferenced(transaction, inbound, batch, going))
      problems.push(
        problem(
          'still-referenced',
          `There are still ${owner.plural} whose '${relation.wireName}' is this ${batch.model.name}; change or delete them first.`,
        ),
      )
  }
  refuseAll(problems)
}

async function isStillReferenced(
  transaction: StoreTransaction,
  inbound: InboundRelation,
  batch: RemovalBatch,
  going: Removals,
): Promise<boolean> {
  for await (const items of referringItems(transaction, inbound, batch))
    if (items.some((item) => !going.get(inbound.owner)?.has(item.id))) return true
  return false
}

/** The items that go because these go, and were not known to. */
async function cascade(
  transaction: StoreTransaction,
  inbound: InboundRelation,
  batch: RemovalBatch,
  going: Removals,
): Promise<readonly RemovalBatch[]> {
  const { owner: model } = inbound
  const known = going.get(model) ?? new Set()
  going.set(model, known)
  const ids: string[] = []
  for await (const items of referringItems(transaction, inbound, batch))
    for (const { id } of items) {
      if (known.has(id)) continue
      known.add(id)
      ids.push(id)
    }
  return Array.from({ length: Math.ceil(ids.length / batchSize) }, (_, index) => ({
    model,
    ids: ids.slice(index * batchSize, (index + 1) * batchSize),
  }))
}

/** Takes what goes out of the relation of those that stay. */
async function unlink(
  transaction: StoreTransaction,
  inbound: InboundRelation,
  batch: RemovalBatch,
  going: Removals,
): Promise<void> {
  const { owner, relation } = inbound
  const gone = going.get(batch.model)!
  const leaving = going.get(owner)
  for await (const items of referringItems(transaction, inbound, batch))
    for (const item of items) {
      if (leaving?.has(item.id)) continue
      const values = readStoredValues(owner, item)
      const held = values[relation.name]
      const left = Array.isArray(held) ? held.filter((id) => !gone.has(id)) : null
      await changeItem(transaction, owner, item, { ...values, [relation.name]: left })
    }
}

function referringItems(
  transaction: StoreTransaction,
  { owner, relation }: InboundRelation,
  { ids }: RemovalBatch,
): AsyncIterable<readonly StoredItem[]> {
  return transaction.list(owner, {
    ...allItemsPlan,
    condition: relatesToAny(relation.name, relation.kind, ids),
  })
}
