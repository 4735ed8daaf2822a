import type { ModelDescription } from '../../model/model-description.ts'
import type { UnitOfWork } from '../../operation/unit-of-work/unit-of-work.ts'
import { idEquals } from '../../query/conditions.ts'
import { findVersions } from '../../store/history/version-table.ts'
import { findTrashed } from '../../store/trash/trash-table.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/** How many versions are read at once. */
const batchSize = 200

/** The blobs of removed versions that neither the item nor another version has. */
export async function unusedKeys(
  unit: UnitOfWork,
  model: ModelDescription,
  removed: readonly StoredItem[],
): Promise<readonly string[]> {
  const keysById = new Map<string, Set<string>>()
  for (const item of removed) {
    const keys = keysById.get(item.id) ?? new Set()
    for (const key of Object.values(blobKeysOf(item))) keys.add(key)
    if (keys.size > 0) keysById.set(item.id, keys)
  }
  const transaction = unit.unobserved
  for (const [id, keys] of keysById) {
    const dropUsed = (item: StoredItem | undefined) => {
      for (const key of item ? Object.values(blobKeysOf(item)) : []) keys.delete(key)
    }
    dropUsed(await transaction.find(model, idEquals(id)))
    if (model.trash)
      for (const { item } of await findTrashed(transaction, model, id, { limit: 1 })) dropUsed(item)
    for (let below: number | undefined; keys.size > 0; ) {
      const versions = await findVersions(transaction, model, id, { below, limit: batchSize })
      for (const { item } of versions) dropUsed(item)
      if (versions.length < batchSize) break
      below = versions.at(-1)!.number
    }
  }
  return [...keysById.values()].flatMap((keys) => [...keys])
}
