import { FairQueue } from './fair-queue.ts'
import { promiseWithResolvers } from './promise-with-resolvers.ts'
import { type WaitOptions, withTimeout } from './with-timeout.ts'
import { throwIfAborted } from './yield-to-event-loop.ts'

/** Lets at most `permits` tasks run at a time, and clients take turns. */
export class FairSemaphore {
  readonly #permits: number
  readonly #maxPerClient: number
  /** How many permits a client has, if they are limited. */
  readonly #held = new Map<string, number>()
  readonly #queue = new FairQueue<() => void>()
  #free: number
  #onIdle: (() => void)[] = []

  /** @param maxPerClient how many tasks of one client run at a time */
  constructor(permits: number, maxPerClient: number = permits) {
    this.#permits = permits
    this.#free = permits
    this.#maxPerClient = maxPerClient
  }

  /** How many tasks wait for a permit. */
  get queueLength(): number {
    return this.#queue.length
  }

  /** Would `acquire` return at once? */
  isFreeFor(client: string): boolean {
    return this.#free > 0 && this.#mayHold(client)
  }

  /**
   * Waits for a permit. The returned function releases it; further calls of it do nothing.
   * @throws the timeout error; the reason of the signal
   */
  async acquire(client: string, wait: WaitOptions): Promise<() => void> {
    throwIfAborted(wait.waiter)
    if (this.isFreeFor(client)) this.#take(client)
    else await this.#enqueue(client, wait)
    const startedAt = performance.now()
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#queue.charge(client, performance.now() - startedAt)
      this.#release(client)
    }
  }

  /** Settles when no task runs or waits. */
  async idle(): Promise<void> {
    if (this.#free < this.#permits) await new Promise<void>((idle) => this.#onIdle.push(idle))
  }

  async #enqueue(client: string, wait: WaitOptions): Promise<void> {
    const { promise, resolve } = promiseWithResolvers()
    const enter = (): void => {
      this.#take(client)
      resolve()
    }
    this.#queue.push(client, enter)
    try {
      await withTimeout(promise, wait)
    } catch (error) {
      // The permit may have arrived at the moment at which waiting ended.
      if (!this.#queue.delete(client, enter)) this.#release(client)
      throw error
    }
  }

  #mayHold(client: string): boolean {
    return this.#maxPerClient >= this.#permits || (this.#held.get(client) ?? 0) < this.#maxPerClient
  }

  #take(client: string): void {
    this.#free--
    if (this.#maxPerClient < this.#permits)
      this.#held.set(client, (this.#held.get(client) ?? 0) + 1)
  }

  #release(client: string): void {
    this.#free++
    const held = this.#held.get(client)
    if (held !== undefined) {
      if (held > 1) this.#held.set(client, held - 1)
      else this.#held.delete(client)
    }
    this.#queue.shift((waiting) => this.#mayHold(waiting))?.()
    if (this.#free === this.#permits) for (const idle of this.#onIdle.splice(0)) idle()
  }
}
