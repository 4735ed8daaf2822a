import { refusalsOf } from '../error/refusals.ts'
import { Semaphore } from './semaphore.ts'

export const limitConcurrencyErrors = ['overloaded'] as const

const { temporaryRefusal } = refusalsOf(limitConcurrencyErrors)

export interface ConcurrencyLimits {
  /** How many tasks run at a time. */
  readonly maxParallel: number
  /** How many tasks may wait. */
  readonly maxWaiting: number
}

/**
 * `exclusive`: a task that uses so much memory that no other `exclusive` task may run beside it.
 */
type WorkKind = 'shared' | 'exclusive'

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
  const exclusive = new Semaphore(1)
  return async (kind, signal, task) => {
    const mustWait = !all.isFree || (kind === 'exclusive' && !exclusive.isFree)
    if (mustWait && all.queueLength + exclusive.queueLength >= maxWaiting)
      throw temporaryRefusal('overloaded', `Too many ${taskName} are waiting. Try again later.`)
    const releaseExclusive =
      kind === 'exclusive' ? await exclusive.acquire({ waiter: { signal } }) : undefined
    try {
      const release = await all.acquire({ waiter: { signal } })
      try {
        return await task()
      } finally {
        release()
      }
    } finally {
      releaseExclusive?.()
    }
  }
}
