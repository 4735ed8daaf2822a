import { promiseWithResolvers } from '../../concurrency/promise-with-resolvers.ts'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import type { Caller } from '../caller.ts'
import { StoreOverloaded } from '../store-failures.ts'

/** How long a transaction waits for others that name the same items. */
const maxWaitMs = 5_000

/** How many transactions wait. Each of them holds what its client sent. */
const maxWaiting = 1_000

/** Ends an attempt of a transaction that has to wait for others. It has changed no item yet. */
export class LockedInProcess extends Error {
  override readonly name = 'LockedInProcess'
}

/**
 * Locks items within this process, so that transactions that name the same items run one after the
 * other. In the database they would wait for each other too, but with a connection each, and for a
 * short time only.
 */
export class ProcessLocks {
  /** Of each item, when the last transaction that names it releases its lock. */
  readonly #lastReleases = new Map<string, Promise<void>>()
  #waiting = 0

  /** Queues for all items at once, so that there is no deadlock. */
  request(keys: readonly string[]): ProcessLock {
    const before = new Set(keys.flatMap((key) => this.#lastReleases.get(key) ?? []))
    const lock = new ProcessLock([...before])
    const { released } = lock
    for (const key of keys) this.#lastReleases.set(key, released)
    released.then(() => {
      for (const key of keys)
        if (this.#lastReleases.get(key) === released) this.#lastReleases.delete(key)
    })
    return lock
  }

  /** @throws StoreOverloaded if it takes too long; the reason of the caller's signal */
  async wait({ ready }: ProcessLock, caller: Caller | undefined): Promise<void> {
    if (!ready) return
    if (this.#waiting >= maxWaiting)
      throw new StoreOverloaded(`${maxWaiting} transactions wait for others of the same items.`)
    const timeoutError = () =>
      new StoreOverloaded(`Other transactions wrote the same items for ${maxWaitMs} ms.`)
    this.#waiting++
    try {
      await withTimeout(ready, { waiter: caller, timeoutMs: maxWaitMs, timeoutError })
    } finally {
      this.#waiting--
    }
  }
}

/** The lock of a transaction on all items that it names. */
export class ProcessLock {
  /** Settles when this one and those before it are released. */
  readonly released: Promise<void>
  readonly release: () => void
  #ready: Promise<void> | undefined

  /** @param before the releases of those before it */
  constructor(before: readonly Promise<void>[]) {
    const { promise, resolve } = promiseWithResolvers()
    this.release = resolve
    if (before.length > 0)
      this.#ready = Promise.all(before).then(() => {
        this.#ready = undefined
      })
    // One that gives up waiting is released before those that it waits for.
    this.released = this.#ready?.then(() => promise) ?? promise
  }

  /** Settles when those before it are released; undefined once they are. */
  get ready(): Promise<void> | undefined {
    return this.#ready
  }
}
