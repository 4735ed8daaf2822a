import { refusal } from '../error/api-error.ts'
import type { StoreAccess } from '../store/store.ts'
import { withinTime } from './within-time.ts'

/** The last of those who wait, by what they wait for. */
const queues = new WeakMap<StoreAccess, Map<string, Promise<void>>>()

/**
 * Runs works on one item one after the other, within this process. It saves works that change the same item from being done in vain: that
 * nothing is lost is seen to where they are stored.
 * @throws ApiError `too-many-requests` where others take too long.
 */
export async function inTurn<T>(store: StoreAccess, key: string, patience: number, work: () => Promise<T>): Promise<T> {
  const queue = queues.get(store) ?? new Map<string, Promise<void>>()
  queues.set(store, queue)
  const before = queue.get(key) ?? Promise.resolve()
  const { promise: mine, resolve: release } = openPromise()
  const last = before.then(() => mine)
  queue.set(key, last)
  try {
    await withinTime(before, patience, tooMany)
    return await work()
  } finally {
    release()
    if (queue.get(key) === last) queue.delete(key)
  }
}

export function openPromise(): { readonly promise: Promise<void>; resolve(): void } {
  let resolve = () => {}
  const promise = new Promise<void>((settle) => {
    resolve = settle
  })
  return { promise, resolve }
}

function tooMany(): Error {
  return refusal('too-many-requests', 'Too many actions wait for this item already; try again later.', undefined, {
    headers: { 'retry-after': '1' },
  })
}
