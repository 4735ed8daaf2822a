import { promiseWithResolvers } from '../../concurrency/promise-with-resolvers.ts'
import { withTimeout } from '../../concurrency/with-timeout.ts'
import type { Caller } from '../caller.ts'
import { StoreOverloaded } from '../store-failures.ts'

/** How long a transaction waits for others that name the same items. */
const maxWaitMs = 5_000

/** How many transactions wait. Each of them holds what its client sent. */
const maxWaiting = 1_000

/** Ends an attempt of a transaction that has to wait for others. Nothing has run yet. */
export class NotItsTurn extends Error {
  override readonly name = 'NotItsTurn'
}

/**
 * Lets transactions of this process that name the same items run one after the other. In the
 * database they would wait for each other too, but with a connection each, and for a short time
 * only.
 */
export class ItemTurns {
  /** Of each item, the end of the last transaction that names it. */
  readonly #lastEnds = new Map<string, Promise<void>>()
  #waiting = 0

  /** All places are taken at once, so that no transactions wait for each other in a circle. */
  take(keys: readonly string[]): ItemTurn {
    const before = new Set(keys.flatMap((key) => this.#lastEnds.get(key) ?? []))
    const turn = new ItemTurn([...before])
    const { ended } = turn
    for (const key of keys) this.#lastEnds.set(key, ended)
    ended.then(() => {
      for (const key of keys) if (this.#lastEnds.get(key) === ended) this.#lastEnds.delete(key)
    })
    return turn
  }

  /** @throws StoreOverloaded if it takes too long; the reason of the caller's signal */
  async wait({ ready }: ItemTurn, caller: Caller | undefined): Promise<void> {
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

/** The place of a transaction among others that name the same items. */
export class ItemTurn {
  /** Settles when this one and those before it have ended. */
  readonly ended: Promise<void>
  readonly end: () => void
  #ready: Promise<void> | undefined

  /** @param before the ends of those before it */
  constructor(before: readonly Promise<void>[]) {
    const { promise, resolve } = promiseWithResolvers()
    this.end = resolve
    if (before.length > 0)
      this.#ready = Promise.all(before).then(() => {
        this.#ready = undefined
      })
    // One that gives up waiting ends before those that it waits for.
    this.ended = this.#ready?.then(() => promise) ?? promise
  }

  /** Settles when those before it have ended; undefined once they have. */
  get ready(): Promise<void> | undefined {
    return this.#ready
  }
}
