import type { ModelDescription } from '../../model/model-description.ts'
import { runUnit } from '../../operation/unit-of-work/run-unit.ts'
import type { UnitOfWork } from '../../operation/unit-of-work/unit-of-work.ts'
import { idEquals } from '../../query/conditions.ts'
import { findVersions, removeVersions } from '../../store/history/version-table.ts'
import { findTrashed } from '../../store/trash/trash-table.ts'
import { blobKeysOf } from '../../stored-item/item-resources.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { RouterSetup } from '../feature.ts'

/** How many versions one transaction removes. */
const batchSize = 200

/** Removes versions that were replaced too long ago, in small transactions. */
export async function sweepVersions(
  { store, storageObservers }: Pick<RouterSetup, 'store' | 'storageObservers'>,
  models: readonly ModelDescription[],
  nowMs: number,
  isStopped: () => boolean,
): Promise<void> {
  for (const model of models) {
    const observers = storageObservers(models)
    const replacedBeforeMs = nowMs - model.history!.keepMs!
    for (let isDone = false; !isDone && !isStopped(); )
      isDone = await runUnit({ store, observers }, async (unit) => {
        const removed = await removeVersions(
          unit.unobserved,
          { model, replacedBeforeMs },
          batchSize,
        )
        unit.discard(await unusedKeys(unit, model, removed))
        return removed.length < batchSize
      })
  }
}

/** The blobs of removed versions that neither the item nor another version has. */
async function unusedKeys(
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
    if (model.trash) dropUsed((await findTrashed(transaction, model, id))?.item)
    for (let below: number | undefined; keys.size > 0; ) {
      const versions = await findVersions(transaction, model, id, { below, limit: batchSize })
      for (const { item } of versions) dropUsed(item)
      if (versions.length < batchSize) break
      below = versions.at(-1)!.number
    }
  }
  return [...keysById.values()].flatMap((keys) => [...keys])
}
