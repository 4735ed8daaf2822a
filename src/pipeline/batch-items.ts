import type { MaybePromise } from '../concurrency/maybe-promise.ts'
import type { Guards } from '../context/guards.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { changedLinks } from '../operation/write/changed-links.ts'
import type { LinkageChange } from '../operation/write/inverse-links.ts'
import type { ItemsToWrite } from '../operation/write/items-to-lock.ts'
import { WritableItems } from '../operation/write/writable-items.ts'
import { type ModelRule, pathView } from '../rule/rule.ts'
import type { ItemPayload } from '../serializer/payload.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { BatchCall } from './batch-calls.ts'
import { presentOwners } from './present-owners.ts'

/** An operation that changes inverse relations. */
type LinkingCall = BatchCall & { readonly payload: ItemPayload }

/**
 * The items that the operations of a batch write and that the caller may write: those of their
 * paths, and those whose links to these change with the inverse relations of their payloads. A
 * promise only if items are read to find them.
 */
export function batchItems(
  reader: StoreReader,
  guards: Guards,
  calls: readonly BatchCall[],
): MaybePromise<readonly ItemsToWrite[]> {
  const items = new WritableItems()
  for (const { endpoint, context } of calls) {
    const { model } = pathView(endpoint.rule)
    const { id } = context
    const change = endpoint.rule.operation === 'DeleteItem' ? 'remove' : 'write'
    if (id !== undefined) items.add({ model, id, change }, () => endpoint.itemCondition(context))
  }
  return calls.some(changesLinks)
    ? addLinked(reader, guards, calls, items).then(() => items.toList())
    : items.toList()
}

async function addLinked(
  reader: StoreReader,
  guards: Guards,
  calls: readonly BatchCall[],
  items: WritableItems,
): Promise<void> {
  const hasOwner = await presentOwners(reader, calls, changesLinks)
  for (const call of calls) {
    if (!changesLinks(call) || !(hasOwner(call) || createsOwner(call))) continue
    const { endpoint, context, payload } = call
    const { model } = pathView(endpoint.rule)
    const { id } = context
    const input = { guards, context }
    // Only rollups need the items that leave. Without them, the links are not read, and all items
    // that the payload names are locked.
    const owner =
      model.rollupFields.length > 0
        ? { model, payload, id, change: linkageChange(endpoint.rule) }
        : { model, payload, id: undefined, change: 'add' as const }
    for (const link of await changedLinks(reader, input, owner)) items.addLinked(input, link)
  }
}

function changesLinks(call: BatchCall): call is LinkingCall {
  const { relations }: ModelDescription = pathView(call.endpoint.rule).model
  return relations.some(({ kind, name }) => kind === 'inverse' && call.payload?.relations.has(name))
}

/** Does it create the item of its path, if that is missing? */
function createsOwner({ endpoint: { rule } }: BatchCall): boolean {
  return rule.operation === 'ReplaceItem' && pathView(rule).model.allowsUpsert
}

function linkageChange({ operation }: ModelRule): LinkageChange {
  if (operation === 'RelationshipPost') return 'add'
  return operation === 'RelationshipDelete' ? 'remove' : 'replace'
}
