import { refusalsOf } from '../error/refusals.ts'
import { Semaphore } from './semaphore.ts'
import type { Waiter } from './yield-to-event-loop.ts'

export const itemLockErrors = ['too-many-requests', 'overloaded'] as const

const { temporaryRefusal } = refusalsOf(itemLockErrors)

const locks = new WeakMap<object, Map<string, Semaphore>>()

/** How many actions may wait for one item. Each of them holds the body that its client sent. */
export const maxWaitingForItem = 100

/**
 * Serializes actions on one item within this process. It is an optimization: actions on the same
 * item would otherwise conflict and run again. The store alone guarantees that no change is lost.
 * @throws ApiError `too-many-requests` where other actions take too long, `overloaded` where too
 * many wait; the reason of the signal
 */
export async function withItemLock<T>(
  store: object,
  key: string,
  wait: { readonly timeoutMs: number; readonly waiter: Waiter },
  action: () => Promise<T>,
): Promise<T> {
  const byKey = locks.get(store) ?? new Map<string, Semaphore>()
  locks.set(store, byKey)
  const lock = byKey.get(key) ?? new Semaphore(1)
  if (lock.queueLength >= maxWaitingForItem) throw tooManyWaiting()
  byKey.set(key, lock)
  try {
    const release = await lock.acquire({ ...wait, timeoutError: tookTooLong })
    try {
      return await action()
    } finally {
      release()
    }
  } finally {
    if (lock.isFree) byKey.delete(key)
  }
}

function tookTooLong(): Error {
  return temporaryRefusal(
    'too-many-requests',
    'Other actions on this item are taking too long. Try again later.',
  )
}

function tooManyWaiting(): Error {
  return temporaryRefusal(
    'overloaded',
    'Too many actions are waiting for this item. Try again later.',
  )
}
