import { Semaphore } from '../../concurrency/semaphore.ts'
import type { Waiter } from '../../concurrency/yield-to-event-loop.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { waitErrors } from './repeatable-errors.ts'

const { temporaryRefusal } = refusalsOf(waitErrors)

const locks = new Map<string, Semaphore>()

/** Each of them holds the body that its client sent. */
export const maxWaitingForKey = 100

/**
 * Runs the requests with one key one after the other, within this process. The store does that for
 * all processes, but it would hold a connection for each request that waits.
 * @throws ApiError `conflict` where the first request takes too long, `overloaded` where too many
 * wait; the reason of the signal
 */
export async function withKeyLock<T>(
  key: string,
  wait: { readonly timeoutMs: number; readonly waiter: Waiter },
  work: () => Promise<T>,
): Promise<T> {
  const lock = locks.get(key) ?? new Semaphore(1)
  if (lock.queueLength >= maxWaitingForKey)
    throw temporaryRefusal(
      'overloaded',
      'Too many requests with this Idempotency-Key are waiting. Try again later.',
    )
  locks.set(key, lock)
  try {
    const release = await lock.acquire({ ...wait, timeoutError: stillRunning })
    try {
      return await work()
    } finally {
      release()
    }
  } finally {
    if (lock.isFree) locks.delete(key)
  }
}

function stillRunning(): Error {
  return temporaryRefusal(
    'conflict',
    'The first request with this Idempotency-Key is still running. Send it again later.',
  )
}
