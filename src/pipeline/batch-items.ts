import type { Guards } from '../context/guards.ts'
import { changedLinks } from '../operation/write/changed-links.ts'
import type { LinkageChange } from '../operation/write/inverse-links.ts'
import type { ItemsToWrite } from '../operation/write/items-to-lock.ts'
import { WritableItems } from '../operation/write/writable-items.ts'
import { type ModelRule, pathView } from '../rule/rule.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { BatchCall } from './batch-calls.ts'

/**
 * The items that the operations of a batch write and that the caller may write: those of their
 * paths, and those whose links to these change with the inverse relations of their payloads.
 */
export async function batchItems(
  reader: StoreReader,
  guards: Guards,
  calls: readonly BatchCall[],
): Promise<readonly ItemsToWrite[]> {
  const items = new WritableItems()
  for (const { endpoint, context, payload } of calls) {
    const { model } = pathView(endpoint.rule)
    const { id } = context
    const change = endpoint.rule.operation === 'DeleteItem' ? 'remove' : 'write'
    if (id !== undefined) items.add({ model, id, change }, () => endpoint.itemCondition(context))
    if (!payload) continue
    const input = { guards, context }
    // Only rollups need the items that leave. Without them, the links are not read, and all items
    // that the payload names are locked.
    const owner =
      model.rollupFields.length > 0
        ? { model, payload, id, change: linkageChange(endpoint.rule) }
        : { model, payload, id: undefined, change: 'add' as const }
    for (const link of await changedLinks(reader, input, owner)) items.addLinked(input, link)
  }
  return items.toList()
}

function linkageChange({ operation }: ModelRule): LinkageChange {
  if (operation === 'RelationshipPost') return 'add'
  return operation === 'RelationshipDelete' ? 'remove' : 'replace'
}
