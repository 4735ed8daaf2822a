import { Semaphore } from '../concurrency/semaphore.ts'
import type { ApiError } from '../error/api-error.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'
import type { Caller } from '../store/store.ts'

export interface IncludeLimits {
  /** Documents whose included items are looked up at a time. */
  readonly maxParallel: number
  /** Documents that may wait for that before they begin. */
  readonly maxWaiting: number
  /** How long they wait, in ms. */
  readonly maxWaitMs: number
  /** What documents may hold together, in bytes, before another one may begin. */
  readonly maxBytes: number
}

/**
 * A quarter of a million identifiers: a reader that stalls is cut in time, so that others do not
 * wait for it long.
 */
export const defaultIncludeLimits: IncludeLimits = {
  maxParallel: 4,
  maxWaiting: 100,
  maxWaitMs: 10_000,
  maxBytes: 33_554_432,
}

/**
 * The room that the large documents of one router share: each holds the identifiers of all that it
 * includes, until it is sent.
 */
export class SharedIncludeBudget {
  readonly limits: IncludeLimits
  readonly semaphore: Semaphore
  usedBytes = 0
  waitingCount = 0

  constructor(limits: IncludeLimits) {
    this.limits = limits
    this.semaphore = new Semaphore(limits.maxParallel)
  }

  get isFull(): boolean {
    return this.usedBytes >= this.limits.maxBytes
  }
}

/**
 * What one document takes of the room. Nobody waits for its reader: it has a slot only while its
 * included items are looked up.
 */
export class DocumentBudget {
  readonly #shared: SharedIncludeBudget
  readonly #caller: Caller
  #heldBytes = 0
  #leave: (() => void) | undefined
  #hasBegun = false
  #isClosed = false

  constructor(shared: SharedIncludeBudget, caller: Caller) {
    this.#shared = shared
    this.#caller = caller
  }

  /**
   * Waits for a slot, unless the document has one.
   * @param heldBytes what the document holds by now
   * @throws ApiError `overloaded` where the document has not begun and there is too much of others;
   * the reason of the signal
   */
  async acquire(heldBytes: number): Promise<void> {
    if (!this.#leave) {
      const leave = await (this.#hasBegun
        ? this.#shared.semaphore.acquire(this.#caller.signal)
        : this.#begin())
      if (this.#isClosed) return leave()
      this.#hasBegun = true
      this.#leave = leave
    }
    this.#shared.usedBytes += heldBytes - this.#heldBytes
    this.#heldBytes = heldBytes
  }

  /** Gives the slot back, to be called before anything waits for the reader. */
  release(): void {
    this.#leave?.()
    this.#leave = undefined
  }

  /** The document ends, or is given up. */
  close(): void {
    this.#isClosed = true
    this.release()
    this.#shared.usedBytes -= this.#heldBytes
    this.#heldBytes = 0
  }

  async #begin(): Promise<() => void> {
    const shared = this.#shared
    const { signal } = this.#caller
    if (shared.isFull || shared.waitingCount >= shared.limits.maxWaiting) throw overloaded()
    const late = AbortSignal.timeout(shared.limits.maxWaitMs)
    shared.waitingCount++
    try {
      const leave = await shared.semaphore.acquire(AbortSignal.any([signal, late]))
      if (!shared.isFull) return leave
      leave()
    } catch (error) {
      if (signal.aborted || !late.aborted) throw error
    } finally {
      shared.waitingCount--
    }
    throw overloaded()
  }
}

function overloaded(): ApiError {
  return temporaryRefusal(
    'overloaded',
    'Too many large documents are under way; try again in a moment.',
  )
}
