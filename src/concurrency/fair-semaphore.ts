import { FairQueue } from './fair-queue.ts'
import { promiseWithResolvers } from './promise-with-resolvers.ts'
import type { Share } from './share.ts'
import { type WaitOptions, withTimeout } from './with-timeout.ts'
import { throwIfAborted } from './yield-to-event-loop.ts'

/** A task that waits. */
interface Waiting {
  readonly share: Share | undefined
  enter(): void
}

/**
 * Lets at most `permits` tasks run at a time, and clients take turns. A task with a share also
 * waits until its share has room, and others pass it meanwhile.
 */
export class FairSemaphore {
  readonly #permits: number
  readonly #queue = new FairQueue<Waiting>(({ share }) => share)
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

  /** How many tasks run. */
  get takenCount(): number {
    return this.#permits - this.#free
  }

  /** Would `acquire` return at once? */
  isFreeFor(client: string, share?: Share): boolean {
    return this.#free > 0 && hasRoom(client, share)
  }

  /**
   * Waits for a permit. The returned function releases it; further calls of it do nothing.
   * @throws the timeout error; the reason of the signal
   */
  async acquire(client: string, wait: WaitOptions, share?: Share): Promise<() => void> {
    throwIfAborted(wait.waiter)
    if (this.isFreeFor(client, share)) this.#enter(client, share)
    else await this.#enqueue(client, wait, share)
    const startedAt = performance.now()
    let isReleased = false
    return () => {
      if (isReleased) return
      isReleased = true
      this.#queue.charge(client, performance.now() - startedAt)
      this.#release(client, share)
    }
  }

  /** Settles when no task runs or waits. */
  async idle(): Promise<void> {
    if (this.#free < this.#permits) await new Promise<void>((idle) => this.#onIdle.push(idle))
  }

  async #enqueue(client: string, wait: WaitOptions, share: Share | undefined): Promise<void> {
    const { promise, resolve } = promiseWithResolvers()
    const enter = (): void => {
      this.#enter(client, share)
      resolve()
    }
    const waiting: Waiting = { share, enter }
    this.#queue.push(client, waiting)
    try {
      await withTimeout(promise, wait)
    } catch (error) {
      // The permit may have arrived at the moment at which waiting ended.
      if (!this.#queue.delete(client, waiting)) this.#release(client, share)
      throw error
    }
  }

  #enter(client: string, share: Share | undefined): void {
    this.#free--
    share?.enter(client)
  }

  #release(client: string, share: Share | undefined): void {
    this.#free++
    share?.leave(client)
    while (this.#free > 0) {
      const next = this.#queue.shift((other, waiting) => hasRoom(other, waiting.share))
      if (!next) break
      next.enter()
    }
    if (this.#free === this.#permits) for (const idle of this.#onIdle.splice(0)) idle()
  }
}

function hasRoom(client: string, share: Share | undefined): boolean {
  return share === undefined || share.hasRoomFor(client)
}
