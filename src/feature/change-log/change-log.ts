import { isCaptured } from '../../model/is-captured.ts'
import type { ModelDescription } from '../../model/model-description.ts'
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
      if (!store.facts?.canCaptureChanges) refuseCapture(models)
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
  "The option 'changes' needs a store that keeps changes. memory(), sqlite() and postgres() do."

/** @throws RegistrationError for models whose tables have no triggers */
function refuseCapture(models: readonly ModelDescription[]): void {
  const faults = models
    .filter(isCaptured)
    .map(
      ({ name }) =>
        `The option 'changes' of the model '${name}' cannot have { capture: 'triggers' }, because the store has no triggers that log what other programs write. Only postgres() has.`,
    )
  if (faults.length > 0) throw new RegistrationError(faults.join('\n'))
}
