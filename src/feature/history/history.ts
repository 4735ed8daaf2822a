import type { RegularWork } from '../../background/regularly.ts'
import { versionModel } from '../../store/history/version-table.ts'
import type { Feature, RouterSetup } from '../feature.ts'
import { sweepByAge } from '../sweep-by-age.ts'
import { eraseVersions } from './erase-versions.ts'
import { removeOldVersions } from './remove-old-versions.ts'
import { VersionRecorder } from './version-recorder.ts'

/** Keeps versions of the items of models with the option `history`. */
export function history(router: RouterSetup): Feature {
  let sweeping: RegularWork | undefined
  let hasTable = false
  const nowMs = () => router.clock().getTime()
  return {
    storedModels: (models) => (models.some((model) => model.history) ? [versionModel] : []),
    observers(models, writes) {
      const kept = new Set(models.filter((model) => model.history))
      // The next write of an item that was loaded keeps what was loaded.
      if (kept.size === 0 || writes === 'loads') return []
      return [new VersionRecorder({ models: kept, nowMs })]
    },
    opened: ({ models }) => {
      hasTable = models.some((model) => model.history)
      sweeping = sweepByAge(router, models, ({ history }) => history?.keepMs, removeOldVersions)
    },
    // Also of a model that kept versions before.
    erase: async (model, id) => (hasTable ? eraseVersions(router, model, id) : 0),
    close: async () => sweeping?.stop(),
  }
}
