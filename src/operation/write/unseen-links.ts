import type { ModelDescription } from '../../model/model-description.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { fetchByIds } from '../fetch-by-ids.ts'
import type { OperationInput } from '../operation-input.ts'

/** Ids of items that the caller may not see, by the name of the relation that holds them. */
export type UnseenLinks = ReadonlyMap<string, readonly string[]>

/**
 * A client that sends an item back unchanged must neither lose hidden ids, nor be refused because
 * of them.
 * @param masked the fields of the item that the caller does not see
 */
export async function findUnseenLinks(
  reader: StoreReader,
  { view, guards, context }: OperationInput,
  stored: StoredValues,
  masked: ReadonlySet<string>,
): Promise<UnseenLinks> {
  const unseen = new Map<string, readonly string[]>()
  for (const { name, relatedModel } of view.model.ownedRelations) {
    const isMasked = masked.has(name)
    // Most relations are neither, so their ids are not gathered.
    if (!isMasked && !guards.isGuarded(relatedModel)) continue
    const ids = [stored[name]].flat().filter((id) => typeof id === 'string')
    if (isMasked) {
      unseen.set(name, ids)
      continue
    }
    const visibleIds = new Set<string>()
    for await (const batch of fetchByIds(
      reader,
      relatedModel,
      ids,
      guards.readCondition(relatedModel, context),
    ))
      for (const item of batch) visibleIds.add(item.id)
    unseen.set(
      name,
      ids.filter((id) => !visibleIds.has(id)),
    )
  }
  return unseen
}

/**
 * The stored values as the caller sees them: without hidden ids and without masked values. Whatever
 * a client sends is compared with these alone, so that no answer tells whether it guessed the rest.
 */
export function seenValues(
  { fieldsByName }: ModelDescription,
  stored: StoredValues,
  unseen: UnseenLinks,
  masked: ReadonlySet<string>,
): StoredValues {
  if (unseen.size === 0 && masked.size === 0) return stored
  const maskedValues = [...masked]
    .filter((name) => fieldsByName.get(name)!.kind === 'value')
    .map((name) => [name, null])
  const visible = [...unseen].map(([name, unseenIds]) => {
    const ids = stored[name]
    const hiddenIds = new Set<unknown>(unseenIds)
    return [
      name,
      Array.isArray(ids) ? ids.filter((id) => !hiddenIds.has(id)) : hiddenIds.has(ids) ? null : ids,
    ]
  })
  return { ...stored, ...Object.fromEntries([...visible, ...maskedValues]) }
}
