import { temporaryRefusal } from '../error/temporary-refusal.ts'
import { withTimeout } from './with-timeout.ts'

/** Those who wait for one item, and the one who has it. */
interface Queue {
  last: Promise<void>
  length: number
}

const queues = new WeakMap<object, Map<string, Queue>>()

/** How many may wait for one item: each holds what a client sent. */
export const maxWaitingForItem = 100

/**
 * Runs works on one item one after the other, within this process. It saves works that change the
 * same item from being done in vain: that nothing is lost is seen to where they are stored.
 * @throws ApiError `too-many-requests` where others take too long, `overloaded` where too many
 * wait; the reason of the signal
 */
export async function withItemLock<T>(
  store: object,
  key: string,
  patience: { readonly milliseconds: number; readonly signal: AbortSignal },
  work: () => Promise<T>,
): Promise<T> {
  const byKey = queues.get(store) ?? new Map<string, Queue>()
  queues.set(store, byKey)
  const queue = byKey.get(key) ?? { last: Promise.resolve(), length: 0 }
  if (queue.length > maxWaitingForItem) throw tooManyWait()
  byKey.set(key, queue)
  const before = queue.last
  const { promise: mine, resolve: release } = promiseWithResolvers()
  queue.last = before.then(() => mine)
  queue.length++
  try {
    await withTimeout(before, { ...patience, timeoutError: tookTooLong })
    return await work()
  } finally {
    release()
    queue.length--
    if (queue.length === 0) byKey.delete(key)
  }
}

export function promiseWithResolvers(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

function tookTooLong(): Error {
  return temporaryRefusal(
    'too-many-requests',
    'Other actions on this item take too long; try again later.',
  )
}

function tooManyWait(): Error {
  return temporaryRefusal(
    'overloaded',
    'Too many actions wait for this item already; try again in a moment.',
  )
}
