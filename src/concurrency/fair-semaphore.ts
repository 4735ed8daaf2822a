import { FairQueue } from './fair-queue.ts'
import { promiseWithResolvers } from './promise-with-resolvers.ts'
import { type WaitOptions, withTimeout } from './with-timeout.ts'
import { throwIfAborted } from './yield-to-event-loop.ts'

/** Lets at most `permits` tasks run at a time, and clients take turns. */
export class FairSemaphore {
  readonly #permits: number
  readonly #queue = new FairQueue<() => void>()
  #free: number
  #onIdle: (() => void)[] = []

  constructor(permits: number) {
    this.#permits = permits
    this.#free = permits
  }

  /** How many tasks wait for a permit. */
  get queueLength(): number {
    return this.#queue.length
  }

  /** Would `acquire` return at once? */
  get isFree(): boolean {
    return this.#free > 0
  }

  /**
   * Waits for a permit. The returned function releases it; further calls of it do nothing.
   * @throws the timeout error; the reason of the signal
   */
  async acquire(client: string, wait: WaitOptions): Promise<() => void> {
    throwIfAborted(wait.waiter)
    if (this.isFree) this.#free--
    else await this.#enqueue(client, wait)
    const startedAt = performance.now()
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#queue.charge(client, performance.now() - startedAt)
      this.#release()
    }
  }

  /** Settles when no task runs or waits. */
  async idle(): Promise<void> {
    if (this.#free < this.#permits) await new Promise<void>((idle) => this.#onIdle.push(idle))
  }

  async #enqueue(client: string, wait: WaitOptions): Promise<void> {
    const { promise, resolve } = promiseWithResolvers()
    const enter = (): void => {
      this.#free--
      resolve()
    }
    this.#queue.push(client, enter)
    try {
      await withTimeout(promise, wait)
    } catch (error) {
      // The permit may have arrived at the moment at which waiting ended.
      if (!this.#queue.delete(client, enter)) this.#release()
      throw error
    }
  }

  #release(): void {
    this.#free++
    this.#queue.shift()?.()
    if (this.#free === this.#permits) for (const idle of this.#onIdle.splice(0)) idle()
  }
}
