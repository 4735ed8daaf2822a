import { refuseAll } from '../error/api-error.ts'
import { problem } from '../error/problem.ts'
import type { InboundRelation, ModelDescription } from '../model/description.ts'
import { both, hasAnyId, negated, relatesTo } from '../query/conditions.ts'
import { everything } from '../query/query-plan.ts'
import { storedValues } from '../store/item-text.ts'
import type { StoreTransaction } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'
import { changeItem } from './write-item.ts'

const batchSize = 256

/**
 * Removes an item and does to those that refer to it what their relations say: `restrict` refuses, `cascade` removes them
 * too, `set-null` clears; a relation to many loses the member.
 * @throws ApiError `still-referenced`
 */
export async function removeItem(transaction: StoreTransaction, model: ModelDescription, id: string): Promise<void> {
  await refuseReferenced(transaction, model, id)
  // Gone before those that refer to it are followed, so that circles come to an end.
  await transaction.remove(model, id)
  for (const inbound of model.inbound) await mend(transaction, inbound, id)
}

async function refuseReferenced(transaction: StoreTransaction, model: ModelDescription, id: string): Promise<void> {
  const problems = []
  for (const { from, relation } of model.inbound) {
    if (relation.kind !== 'toOne' || relation.onDelete !== 'restrict') continue
    const referring = relatesTo(relation.name, 'toOne', [id])
    // An item that refers to itself does not hold itself back.
    const condition = from === model ? both(referring, negated(hasAnyId([id]))) : referring
    const [first] = await transaction.page(from, {
      ...everything,
      condition,
      window: { kind: 'slice', skip: 0, limit: 1 },
    })
    if (first)
      problems.push(
        problem(
          'still-referenced',
          `There are still ${from.plural} whose '${relation.wire}' is this ${model.name}; change or delete them first.`,
        ),
      )
  }
  refuseAll(problems)
}

async function mend(transaction: StoreTransaction, inbound: InboundRelation, id: string): Promise<void> {
  const { from, relation } = inbound
  const condition = relatesTo(relation.name, relation.kind, [id])
  for (;;) {
    // Each batch no longer refers to the item once it is mended, so the next question finds the rest.
    const batch = await transaction.page(from, {
      ...everything,
      condition,
      window: { kind: 'slice', skip: 0, limit: batchSize },
    })
    for (const { item } of batch) await mendOne(transaction, inbound, item, id)
    if (batch.length < batchSize) return
  }
}

async function mendOne(
  transaction: StoreTransaction,
  { from, relation }: InboundRelation,
  item: StoredItem,
  id: string,
): Promise<void> {
  if (relation.kind === 'toOne' && relation.onDelete === 'cascade') return removeItem(transaction, from, item.id)
  const values = storedValues(from, item)
  const held = values[relation.name]
  const left = Array.isArray(held) ? held.filter((one) => one !== id) : null
  await changeItem(transaction, from, item, { ...values, [relation.name]: left })
}
