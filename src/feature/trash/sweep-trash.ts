import type { ModelDescription } from '../../model/model-description.ts'
import { removeForGood } from '../../operation/trash/purge-item.ts'
import { runUnit } from '../../operation/unit-of-work/run-unit.ts'
import { trashedBefore } from '../../store/trash/trash-table.ts'
import type { RouterSetup } from '../feature.ts'

/** How many items one transaction removes. */
const batchSize = 50

/** Deletes items for good that were deleted too long ago, in small transactions. */
export async function sweepTrash(
  { store, storageObservers }: Pick<RouterSetup, 'store' | 'storageObservers'>,
  models: readonly ModelDescription[],
  nowMs: number,
  isStopped: () => boolean,
): Promise<void> {
  for (const model of models) {
    const observers = storageObservers(models)
    const beforeMs = nowMs - model.trash!.keepMs!
    for (let isDone = false; !isDone && !isStopped(); )
      isDone = await runUnit({ store, observers }, async (unit) => {
        const items = await trashedBefore(unit.unobserved, model, beforeMs, batchSize)
        for (const item of items) await removeForGood(unit, model, item)
        return items.length < batchSize
      })
  }
}
