import { promiseWithResolvers } from './promise-with-resolvers.ts'
import { type WaitOptions, withTimeout } from './with-timeout.ts'
import { throwIfAborted } from './yield-to-event-loop.ts'

/** Lets at most `permits` tasks run at a time. Others queue, first come, first served. */
export class Semaphore {
  #free: number
  readonly #queue = new Set<() => void>()

  constructor(permits: number) {
    this.#free = permits
  }

  /** Would `acquire` return at once? */
  get isFree(): boolean {
    return this.#free > 0
  }

  /** How many tasks wait for a permit. */
  get queueLength(): number {
    return this.#queue.size
  }

  /**
   * Waits for a permit. The returned function releases it; further calls of it do nothing.
   * @throws the timeout error; the reason of the signal
   */
  async acquire(wait: WaitOptions): Promise<() => void> {
    throwIfAborted(wait.waiter)
    if (this.#free > 0) this.#free--
    else await this.#enqueue(wait)
    let isReleased = false
    return () => {
      if (!isReleased) this.#release()
      isReleased = true
    }
  }

  async #enqueue(wait: WaitOptions): Promise<void> {
    const { promise, resolve } = promiseWithResolvers()
    this.#queue.add(resolve)
    try {
      await withTimeout(promise, wait)
    } catch (error) {
      // The permit may have arrived at the moment at which waiting ended.
      if (!this.#queue.delete(resolve)) this.#release()
      throw error
    }
  }

  #release(): void {
    const [next] = this.#queue
    if (!next) this.#free++
    else {
      this.#queue.delete(next)
      next()
    }
  }
}
