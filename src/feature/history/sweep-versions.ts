import type { ModelDescription } from '../../model/model-description.ts'
import { runUnit } from '../../operation/unit-of-work/run-unit.ts'
import { removeVersions } from '../../store/history/version-table.ts'
import type { RouterSetup } from '../feature.ts'
import { unusedKeys } from './unused-keys.ts'

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
