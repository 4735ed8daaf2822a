import { setTimeout as wait } from 'node:timers/promises'
import {
  mayHaveOldWorkers,
  pauseOldWorkers,
  resumeOldWorkers,
} from '../../process/pause-old-workers.ts'
import type { Engine } from './engine.ts'
import { PauseNeeded } from './pause-needed.ts'

type LockTimeouts = Pick<Engine, 'isLockTimeout'>

/** Requests of old workers wait during each attempt, so there are fewer of them with time. */
const firstGapMs = 500
const maxGapMs = 15_000

/**
 * Takes a step for which old workers pause, if it ends them.
 * @param step gets true where old workers may run that have not paused: if it ends them, it has to
 * throw `PauseNeeded` and change nothing
 */
export async function pausedIfNeeded<T>(
  engine: LockTimeouts,
  step: (needsPause: boolean) => Promise<T>,
): Promise<T> {
  try {
    return await whenLockable(engine, () => step(mayHaveOldWorkers()))
  } catch (error) {
    if (!(error instanceof PauseNeeded)) throw error
  }
  return paused(engine, () => step(false))
}

/**
 * Takes a step while old workers pause. While others keep its tables locked, the workers go on: a
 * report or a backup may read for hours.
 */
export function paused<T>(engine: LockTimeouts, step: () => Promise<T>): Promise<T> {
  return whenLockable(
    engine,
    async () => {
      await pauseOldWorkers()
      return step()
    },
    resumeOldWorkers,
  )
}

/**
 * Tries again while others use the tables for longer than a moment: waiting for them, the start
 * would keep everybody else waiting behind it.
 */
async function whenLockable<T>(
  engine: LockTimeouts,
  attempt: () => Promise<T>,
  onLocked = (): void => {},
): Promise<T> {
  for (let gapMs = firstGapMs; ; gapMs = Math.min(2 * gapMs, maxGapMs)) {
    try {
      return await attempt()
    } catch (error) {
      if (!engine.isLockTimeout(error)) throw error
    }
    onLocked()
    // Others that start at the same time come at other times.
    await wait(gapMs * (0.75 + Math.random() / 2))
  }
}
