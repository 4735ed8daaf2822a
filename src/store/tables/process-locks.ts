import { promiseWithResolvers } from '../../concurrency/promise-with-resolvers.ts'
import { VirtualTime } from '../../concurrency/virtual-time.ts'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import type { StoreCall } from '../store-call.ts'
import { StoreOverloaded } from '../store-failures.ts'

/** How long a transaction waits for others that name the same items. */
const maxWaitMs = 5_000

/** How many transactions wait. Each of them holds what its client sent. */
export const maxWaitingLocks = 1_000

/** Transactions outside of requests take turns as one client. */
const noClient = ''

/** Ends an attempt of a transaction that has to wait for others. It has changed no item yet. */
export class LockedInProcess extends Error {
  override readonly name = 'LockedInProcess'
}

/**
 * Locks items within this process, so that transactions that name the same items run one after the
 * other. In the database they would wait for each other too, but with a connection each, and for a
 * short time only. Clients take turns, by the number of items that they lock.
 */
export class ProcessLocks {
  readonly #time = new VirtualTime()
  /** The locks on each item in the order of their turns; one that is held comes first. */
  readonly #queues = new Map<string, ProcessLock[]>()
  readonly #waiting = new Set<ProcessLock>()
  readonly #waitingOfClient = new Map<string, number>()
  #requested = 0

  /**
   * Queues for all items at once, and in one order for all of them, so that there is no deadlock.
   * @throws StoreOverloaded if too many wait. One client may have as many waiting as there is room
   * for others, so that it never takes the last place.
   */
  request(keys: Iterable<string>, client: string = noClient): ProcessLock {
    const start = this.#time.startOf(client)
    const lock = new ProcessLock([...new Set(keys)], client, start, this.#requested++, () =>
      this.#release(lock),
    )
    const positions = lock.keys.map((key) => this.#positionOf(lock, key))
    const isFree = positions.every((position) => position === 0)
    if (!isFree) this.#refuseTooMany(client)
    for (const [index, key] of lock.keys.entries()) {
      const queue = this.#queues.get(key)
      if (queue) queue.splice(positions[index]!, 0, lock)
      else this.#queues.set(key, [lock])
    }
    if (isFree) lock.hold()
    else this.#addWaiting(lock)
    this.#time.setStart(client, start + lock.keys.length)
    return lock
  }

  /** @throws StoreOverloaded if it takes too long; the reason of the caller's signal */
  async wait({ ready }: ProcessLock, call: StoreCall | undefined): Promise<void> {
    const timeoutError = () =>
      new StoreOverloaded(`Other transactions wrote the same items for ${maxWaitMs} ms.`)
    await withTimeout(ready, { waiter: call, timeoutMs: maxWaitMs, timeoutError })
  }

  /** Behind the one that is held, and before those whose turn is later. */
  #positionOf(lock: ProcessLock, key: string): number {
    const queue = this.#queues.get(key) ?? []
    const position = queue.findIndex((other) => !other.isHeld && lock.isBefore(other))
    return position < 0 ? queue.length : position
  }

  #refuseTooMany(client: string): void {
    if ((this.#waitingOfClient.get(client) ?? 0) < maxWaitingLocks - this.#waiting.size) return
    throw new StoreOverloaded(
      `${this.#waiting.size} transactions wait for others that write the same items.`,
    )
  }

  #addWaiting(lock: ProcessLock): void {
    this.#waiting.add(lock)
    this.#waitingOfClient.set(lock.client, (this.#waitingOfClient.get(lock.client) ?? 0) + 1)
  }

  #deleteWaiting(lock: ProcessLock): void {
    this.#waiting.delete(lock)
    const count = this.#waitingOfClient.get(lock.client)! - 1
    if (count > 0) this.#waitingOfClient.set(lock.client, count)
    else this.#waitingOfClient.delete(lock.client)
  }

  #release(lock: ProcessLock): void {
    if (lock.isHeld) this.#time.advanceBy(lock.keys.length, this.#leastStart())
    else this.#deleteWaiting(lock)
    const next = new Set<ProcessLock>()
    for (const key of lock.keys) {
      const queue = this.#queues.get(key)!
      queue.splice(queue.indexOf(lock), 1)
      const [first] = queue
      if (first) next.add(first)
      else this.#queues.delete(key)
    }
    for (const first of next)
      if (!first.isHeld && first.keys.every((key) => this.#queues.get(key)![0] === first)) {
        this.#deleteWaiting(first)
        first.hold()
      }
  }

  /** The least start of those that wait, on whatever item: all items have one virtual time. */
  #leastStart(): number {
    let least = Number.POSITIVE_INFINITY
    for (const { start } of this.#waiting) least = Math.min(least, start)
    return least
  }
}

/** The lock of a transaction on all items that it names. */
export class ProcessLock {
  readonly keys: readonly string[]
  readonly client: string
  readonly start: number
  /** Settles when it is held. */
  readonly ready: Promise<void>
  readonly hold: () => void
  readonly #number: number
  readonly #onRelease: () => void
  #state: 'waiting' | 'held' | 'released' = 'waiting'

  constructor(
    keys: readonly string[],
    client: string,
    start: number,
    number: number,
    onRelease: () => void,
  ) {
    this.keys = keys
    this.client = client
    this.start = start
    this.#number = number
    this.#onRelease = onRelease
    const { promise, resolve } = promiseWithResolvers()
    this.ready = promise
    this.hold = () => {
      this.#state = 'held'
      resolve()
    }
  }

  get isHeld(): boolean {
    return this.#state === 'held'
  }

  /** Does its turn come before that of another? */
  isBefore(other: ProcessLock): boolean {
    return this.start < other.start || (this.start === other.start && this.#number < other.#number)
  }

  /** Gives it back, or gives up waiting. Further calls do nothing. */
  release(): void {
    if (this.#state === 'released') return
    this.#onRelease()
    this.#state = 'released'
  }
}
