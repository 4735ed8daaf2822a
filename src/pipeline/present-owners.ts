import { fetchByIds } from '../operation/fetch-by-ids.ts'
import { WritableItems } from '../operation/write/writable-items.ts'
import { always } from '../query/conditions.ts'
import { pathView } from '../rule/rule.ts'
import type { StoreReader } from '../store/store-reader.ts'
import { itemKey } from '../stored-item/item-key.ts'
import type { BatchCall } from './batch-calls.ts'

/**
 * Which operations of a batch have the item of their path, as far as can be known before they run:
 * it is there and the caller may write it, or the batch creates it.
 * @param isAsked of which operations that matters
 */
export async function presentOwners(
  reader: StoreReader,
  calls: readonly BatchCall[],
  isAsked: (call: BatchCall) => boolean,
): Promise<(call: BatchCall) => boolean> {
  const owners = new WritableItems()
  const present = new Set<string>()
  for (const call of calls) {
    const { endpoint, context, payload } = call
    const { model } = pathView(endpoint.rule)
    const { id } = context
    if (id === undefined) {
      for (const newId of [payload?.id?.value, payload?.newId])
        if (newId !== undefined) present.add(itemKey(model, newId))
    } else if (isAsked(call))
      owners.add({ model, id, change: 'write' }, () => endpoint.itemCondition(context))
  }
  for (const { model, ids, condition = always } of owners.toList())
    for await (const items of fetchByIds(reader, model, ids, condition))
      for (const item of items) present.add(itemKey(model, item.id))
  return ({ endpoint: { rule }, context: { id } }) =>
    id === undefined || present.has(itemKey(pathView(rule).model, id))
}
