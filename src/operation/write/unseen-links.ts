import type { StoreReader } from '../../store/store.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { fetchByIds } from '../fetch-by-ids.ts'
import type { OperationInput } from '../operation-input.ts'

/**
 * The identifiers that an item's relations hold of items the caller may not see, by relation name.
 */
export type UnseenLinks = ReadonlyMap<string, readonly string[]>

/**
 * A client that sends an item back as it was given must not lose, or be refused for, relations that
 * it was not shown.
 */
export async function findUnseenLinks(
  reader: StoreReader,
  { view, guards, context }: OperationInput,
  stored: StoredValues,
): Promise<UnseenLinks> {
  const unseen = new Map<string, readonly string[]>()
  for (const { name, relatedModel } of view.model.ownedRelations) {
    if (!guards.isGuarded(relatedModel)) continue
    const held = [stored[name]].flat().filter((id) => typeof id === 'string')
    const seen = new Set<string>()
    for await (const batch of fetchByIds(
      reader,
      relatedModel,
      held,
      guards.readCondition(relatedModel, context),
    ))
      for (const item of batch) seen.add(item.id)
    unseen.set(
      name,
      held.filter((id) => !seen.has(id)),
    )
  }
  return unseen
}

/**
 * The relations without these links: what a client names of them is as unknown as an item that does
 * not exist.
 */
export function withoutUnseen(stored: StoredValues, unseen: UnseenLinks): StoredValues {
  const seen = [...unseen].map(([name, ids]) => {
    const held = stored[name]
    const hidden = new Set<unknown>(ids)
    return [
      name,
      Array.isArray(held) ? held.filter((id) => !hidden.has(id)) : hidden.has(held) ? null : held,
    ]
  })
  return unseen.size === 0 ? stored : { ...stored, ...Object.fromEntries(seen) }
}
