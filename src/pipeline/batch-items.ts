import type { Guards } from '../context/guards.ts'
import { inverseLinkCondition } from '../operation/write/inverse-links.ts'
import type { ItemsToWrite } from '../operation/write/items-to-lock.ts'
import { conditionOrNever, WritableItems } from '../operation/write/writable-items.ts'
import { allItemsPlan } from '../query/query-plan.ts'
import { type ModelRule, pathView } from '../rule/rule.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { BatchCall } from './batch-calls.ts'

/**
 * The items that the operations of a batch name and that the caller may write: those of their
 * paths, and those that hold the inverse relations of their payloads.
 */
export async function batchItems(
  reader: StoreReader,
  guards: Guards,
  calls: readonly BatchCall[],
): Promise<readonly ItemsToWrite[]> {
  const items = new WritableItems()
  for (const call of calls) {
    const { endpoint, context, payload } = call
    const { model } = pathView(endpoint.rule)
    const { id } = context
    const change = endpoint.rule.operation === 'DeleteItem' ? 'remove' : 'write'
    if (id !== undefined) items.add({ model, id, change }, () => endpoint.itemCondition(context))
    if (!payload) continue
    items.addNamed({ guards, context }, model, payload)
    if (replaces(endpoint.rule)) await addLeaving(items, reader, guards, call)
  }
  return items.toList()
}

/** Those that leave an inverse relation, because its payload does not name them. */
async function addLeaving(
  items: WritableItems,
  reader: StoreReader,
  guards: Guards,
  { endpoint, context, payload }: BatchCall,
): Promise<void> {
  const { model } = pathView(endpoint.rule)
  const { id } = context
  // Only rollups need them. Others are locked when they are written.
  if (id === undefined || model.rollupFields.length === 0) return
  const input = { guards, context }
  for (const relation of model.relations) {
    const linkage = payload!.relations.get(relation.name)
    if (relation.kind !== 'inverse' || linkage?.kind !== 'many') continue
    const condition = conditionOrNever(() => inverseLinkCondition(input, relation, id))
    if (condition.kind === 'never') continue
    const plan = { ...allItemsPlan, condition }
    for await (const related of reader.list(relation.relatedModel, plan))
      for (const item of related) items.addLinked(input, relation, item.id)
  }
}

function replaces({ operation }: ModelRule): boolean {
  return operation !== 'RelationshipPost' && operation !== 'RelationshipDelete'
}
