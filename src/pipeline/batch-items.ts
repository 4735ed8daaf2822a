import type { Guards } from '../context/guards.ts'
import type { LinkageChange } from '../operation/write/inverse-links.ts'
import type { ItemsToWrite } from '../operation/write/items-to-lock.ts'
import { WritableItems } from '../operation/write/writable-items.ts'
import { type ModelRule, pathView } from '../rule/rule.ts'
import type { BatchCall } from './batch-calls.ts'

/**
 * The items that the operations of a batch name and that the caller may write: those of their
 * paths, and those that hold the inverse relations of their payloads.
 */
export function batchItems(guards: Guards, calls: readonly BatchCall[]): readonly ItemsToWrite[] {
  const items = new WritableItems()
  for (const { endpoint, context, payload } of calls) {
    const { rule } = endpoint
    const { model } = pathView(rule)
    const { id } = context
    if (id !== undefined)
      items.add(model, id, rule.operation === 'DeleteItem' ? 'remove' : 'write', () =>
        endpoint.itemCondition(context),
      )
    if (payload) items.addLinked({ guards, context }, model, payload, linkageChangeOf(rule))
  }
  return items.toList()
}

function linkageChangeOf({ operation }: ModelRule): LinkageChange {
  if (operation === 'RelationshipPost') return 'add'
  return operation === 'RelationshipDelete' ? 'remove' : 'replace'
}
