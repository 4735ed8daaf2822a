import type { RegularWork } from '../../background/regularly.ts'
import { removeForGood } from '../../operation/trash/purge-item.ts'
import { runUnit } from '../../operation/unit-of-work/run-unit.ts'
import { findTrashed, trashModel } from '../../store/trash/trash-table.ts'
import type { Feature, RouterSetup } from '../feature.ts'
import { sweepByAge } from '../sweep-by-age.ts'
import { removeOldItems } from './remove-old-items.ts'
import { TrashRecorder } from './trash-recorder.ts'

/** How many items one transaction erases. */
const batchSize = 50

/** Keeps deleted items of models with the option `trash`. */
export function trash(router: RouterSetup): Feature {
  let sweeping: RegularWork | undefined
  let hasTable = false
  const nowMs = () => router.clock().getTime()
  return {
    storedModels: (models) => (models.some((model) => model.trash) ? [trashModel] : []),
    observers(models) {
      const kept = new Set(models.filter((model) => model.trash))
      return kept.size === 0 ? [] : [new TrashRecorder({ models: kept, nowMs })]
    },
    opened: ({ models }) => {
      hasTable = models.some((model) => model.trash)
      sweeping = sweepByAge(router, models, (model) => model.trash?.keepMs, removeOldItems)
    },
    erase: async (model, id) => {
      // Also of a model that had a trash before.
      if (!hasTable) return 0
      const observers = router.storageObservers([model])
      const erase = () =>
        runUnit({ store: router.store, observers }, async (unit) => {
          const trashed = await findTrashed(unit.unobserved, model, id, { limit: batchSize })
          for (const each of trashed) await removeForGood(unit, model, each)
          return trashed.length
        })
      let erased = 0
      for (let count = batchSize; count === batchSize; erased += count) count = await erase()
      return erased
    },
    close: async () => sweeping?.stop(),
  }
}
