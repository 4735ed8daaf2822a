import { refuseAll } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import type { InboundRelation, ModelDescription } from '../model/description.ts'
import { relatesTo } from '../query/conditions.ts'
import { everything } from '../query/query-plan.ts'
import { storedValues } from '../store/item-text.ts'
import type { StoreTransaction } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { changeItem } from './write-item.ts'

/** Of how many items those that refer to them are asked for at once. */
const batchSize = 1_000

/** Items of one model that go. */
interface Batch {
  readonly model: ModelDescription
  readonly ids: readonly string[]
}

/** All items that are known to go, by model: each goes once, so that circles come to an end. */
type Going = Map<ModelDescription, Set<string>>

/**
 * Removes an item and does to those that refer to it what their relations say: `restrict` refuses, `cascade` removes them
 * too, `set-null` clears; a relation to many loses the member. Items are followed batch by batch, so that each is looked up once for each of
 * its relations, however many there are.
 * @throws ApiError `still-referenced`
 */
export async function removeItem(transaction: StoreTransaction, model: ModelDescription, id: string): Promise<void> {
  const going: Going = new Map([[model, new Set([id])]])
  const batches: Batch[] = [{ model, ids: [id] }]
  // Those that refer to the items of a batch, and go with them, come behind it.
  for (const batch of batches) batches.push(...(await removeBatch(transaction, batch, going)))
}

async function removeBatch(transaction: StoreTransaction, batch: Batch, going: Going): Promise<readonly Batch[]> {
  const { model, ids } = batch
  await refuseReferenced(transaction, batch, going)
  for (const id of ids) await transaction.remove(model, id)
  const next: Batch[] = []
  for (const inbound of model.inbound) {
    if (inbound.relation.kind === 'toMany' || inbound.relation.onDelete === 'set-null')
      await unlink(transaction, inbound, batch, going)
    else if (inbound.relation.onDelete === 'cascade') next.push(...(await followed(transaction, inbound, batch, going)))
  }
  return next
}

async function refuseReferenced(transaction: StoreTransaction, batch: Batch, going: Going): Promise<void> {
  const problems: Problem[] = []
  for (const inbound of batch.model.inbound) {
    const { from, relation } = inbound
    if (relation.kind !== 'toOne' || relation.onDelete !== 'restrict') continue
    // An item that goes itself, such as one that refers to itself, holds nothing back.
    if (await someStay(transaction, inbound, batch, going))
      problems.push(
        problem(
          'still-referenced',
          `There are still ${from.plural} whose '${relation.wire}' is this ${batch.model.name}; change or delete them first.`,
        ),
      )
  }
  refuseAll(problems)
}

async function someStay(
  transaction: StoreTransaction,
  inbound: InboundRelation,
  batch: Batch,
  going: Going,
): Promise<boolean> {
  for await (const items of referring(transaction, inbound, batch))
    if (items.some((item) => !going.get(inbound.from)?.has(item.id))) return true
  return false
}

/** The items that go because these go, and were not known to. */
async function followed(
  transaction: StoreTransaction,
  inbound: InboundRelation,
  batch: Batch,
  going: Going,
): Promise<readonly Batch[]> {
  const { from: model } = inbound
  const known = going.get(model) ?? new Set()
  going.set(model, known)
  const ids: string[] = []
  for await (const items of referring(transaction, inbound, batch))
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
  batch: Batch,
  going: Going,
): Promise<void> {
  const { from, relation } = inbound
  const gone = going.get(batch.model)!
  const leaving = going.get(from)
  for await (const items of referring(transaction, inbound, batch))
    for (const item of items) {
      if (leaving?.has(item.id)) continue
      const values = storedValues(from, item)
      const held = values[relation.name]
      const left = Array.isArray(held) ? held.filter((id) => !gone.has(id)) : null
      await changeItem(transaction, from, item, { ...values, [relation.name]: left })
    }
}

function referring(
  transaction: StoreTransaction,
  { from, relation }: InboundRelation,
  { ids }: Batch,
): AsyncIterable<readonly StoredItem[]> {
  return transaction.list(from, { ...everything, condition: relatesTo(relation.name, relation.kind, ids) })
}
