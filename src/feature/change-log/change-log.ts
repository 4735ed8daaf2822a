import { RegistrationError } from '../../model/registration-error.ts'
import type { Feature, RouterSetup } from '../feature.ts'
import { type ChangesOptions, changeLogSettings } from './change-log-options.ts'
import { ChangeRecorder } from './change-recorder.ts'
import { sweeperOf } from './log-sweeper.ts'
import { keepDaysOf, loggedModelsOf } from './logged-models.ts'

/**
 * Logs what changed, in the transaction of the write.
 * @throws RegistrationError for an invalid option
 */
export function changeLog(
  option: boolean | ChangesOptions | undefined,
  { store, clock, onError }: RouterSetup,
): Feature {
  const settings = changeLogSettings(option)
  const logged = (models: Parameters<typeof loggedModelsOf>[1]) => loggedModelsOf(settings, models)
  const log = store.changes
  const nowMs = () => clock().getTime()
  let endSweeps: (() => Promise<void>) | undefined
  return {
    loggedModels: logged,
    registered(models) {
      if (!log && logged(models).length > 0) throw new RegistrationError(noLogText)
    },
    observers(models, writes) {
      const recorded = { models: new Set(logged(models)), nowMs }
      if (recorded.models.size === 0 || (writes === 'loads' && !settings.loads)) return []
      return [() => new ChangeRecorder(recorded)]
    },
    opened({ models }) {
      const loggedModels = logged(models)
      if (loggedModels.length === 0) return
      if (!log?.areKept()) throw new RegistrationError(noLogText)
      const { maxEntries } = settings
      const keepDays = keepDaysOf(settings, loggedModels)
      endSweeps ??= sweeperOf(log).add({ keepDays, maxEntries, nowMs, onError })
    },
    erase: async ({ name }, id) => (log?.areKept() ? log.erase(name, id) : 0),
    close: async () => endSweeps?.(),
  }
}

const noLogText =
  "The option 'changes' needs a store that keeps changes in tables of its own. memory(), sqlite() and postgres() do, unless the tables belong to another program ({ manage: false })."
