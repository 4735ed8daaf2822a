import { temporaryRefusal } from '../error/temporary-refusal.ts'
import { Semaphore } from './semaphore.ts'

export interface ConcurrencyLimits {
  /** How many tasks run at a time. */
  readonly maxParallel: number
  /** How many tasks may wait. */
  readonly maxWaiting: number
}

/** `single`: a task that uses so much memory that no other `single` task may run beside it. */
export type WorkKind = 'usual' | 'single'

/**
 * @throws ApiError `overloaded` when too many tasks wait; the reason of the signal when it is
 * aborted while the task waits
 */
export type ConcurrencyLimiter = <T>(
  kind: WorkKind,
  signal: AbortSignal,
  task: () => Promise<T>,
) => Promise<T>

/**
 * Runs at most `maxParallel` tasks at a time, in the order in which they came.
 * @param taskName plural noun for the error message: `images`
 */
export function limitConcurrency(
  { maxParallel, maxWaiting }: ConcurrencyLimits,
  taskName: string,
): ConcurrencyLimiter {
  const all = new Semaphore(maxParallel)
  const single = new Semaphore(1)
  return async (kind, signal, task) => {
    const mustWait = !all.isFree || (kind === 'single' && !single.isFree)
    if (mustWait && all.queueLength + single.queueLength >= maxWaiting)
      throw temporaryRefusal('overloaded', `Too many ${taskName} are waiting; try again shortly.`)
    const releaseSingle = kind === 'single' ? await single.acquire({ signal }) : undefined
    try {
      const release = await all.acquire({ signal })
      try {
        return await task()
      } finally {
        release()
      }
    } finally {
      releaseSingle?.()
    }
  }
}
