import { type RegularWork, regularly } from '../background/regularly.ts'
import type { ModelDescription } from '../model/model-description.ts'
import { runUnit } from '../operation/unit-of-work/run-unit.ts'
import type { UnitOfWork } from '../operation/unit-of-work/unit-of-work.ts'
import type { RouterSetup } from './feature.ts'

const pauseMs = 3_600_000

/** What is too old of a model, removed in one small transaction. */
export type RemoveOld = (
  unit: UnitOfWork,
  model: ModelDescription,
  beforeMs: number,
) => Promise<'done' | 'more'>

/**
 * Removes what models no longer keep, now and each hour.
 * @param keepMsOf undefined for a model that keeps it for ever, or not at all
 */
export function sweepByAge(
  { store, storageObservers, clock, onError }: RouterSetup,
  models: readonly ModelDescription[],
  keepMsOf: (model: ModelDescription) => number | undefined,
  removeOld: RemoveOld,
): RegularWork | undefined {
  const aging = models.filter((model) => keepMsOf(model) !== undefined)
  if (aging.length === 0) return undefined
  return regularly(
    async (isStopped) => {
      const nowMs = clock().getTime()
      for (const model of aging) {
        const observers = storageObservers([model])
        const beforeMs = nowMs - keepMsOf(model)!
        for (let state = 'more'; state === 'more' && !isStopped(); )
          state = await runUnit({ store, observers }, (unit) => removeOld(unit, model, beforeMs))
      }
    },
    pauseMs,
    onError,
  )
}
