import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import { maxSliceMs, throwIfAborted, type Waiter, yieldToEventLoop } from './yield-to-event-loop.ts'

export interface TimeSliceOptions {
  /**
   * The work holds a lock, such as that of a transaction. It then resumes in the next turn of the
   * event loop, without queueing behind other expensive work that would keep the lock waiting.
   * Default: false.
   */
  readonly holdsLock?: boolean
}

/**
 * Cuts long work into slices, so that other requests are served between them. A slice is over after
 * 5 ms.
 *
 * ```ts
 * const slice = new TimeSlice({ signal })
 * let count = 0
 * for (const { values } of entries) {
 *   if (values['inStock'] === true) count++
 *   if (slice.isOver) await slice.yieldToEventLoop()
 * }
 * ```
 */
export class TimeSlice {
  readonly #caller: Waiter | undefined
  readonly #holdsLock: boolean
  #startedAt = performance.now()

  constructor(caller?: Waiter, { holdsLock = false }: TimeSliceOptions = {}) {
    this.#caller = caller
    this.#holdsLock = holdsLock
  }

  /** Is it time to yield? */
  get isOver(): boolean {
    return performance.now() - this.#startedAt > maxSliceMs
  }

  /** @throws the reason of the caller's signal */
  async yieldToEventLoop(): Promise<void> {
    if (this.#holdsLock) {
      await setImmediate()
      throwIfAborted(this.#caller)
    } else await yieldToEventLoop(this.#caller)
    this.#startedAt = performance.now()
  }
}
