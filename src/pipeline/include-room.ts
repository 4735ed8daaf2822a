import { Slots } from '../cache/slots.ts'
import type { ApiError } from '../error/api-error.ts'
import { temporaryRefusal } from '../error/temporary-refusal.ts'
import type { Caller } from '../store/store.ts'

export interface RoomLimits {
  /** Documents whose included items are looked up at a time. */
  readonly parallel: number
  /** Documents that may wait for that before they begin. */
  readonly waiting: number
  /** How long they wait, in ms. */
  readonly waitMs: number
  /** What documents may hold together, in bytes, before another one may begin. */
  readonly heldBytes: number
}

/** A quarter of a million identifiers: a reader that stalls is cut in time, so that others do not wait for it long. */
export const usualRoom: RoomLimits = { parallel: 4, waiting: 100, waitMs: 10_000, heldBytes: 33_554_432 }

/** The room that the large documents of one router share: each holds the identifiers of all that it includes, until it is sent. */
export class SharedRoom {
  readonly limits: RoomLimits
  readonly slots: Slots
  heldBytes = 0
  waiting = 0

  constructor(limits: RoomLimits) {
    this.limits = limits
    this.slots = new Slots(limits.parallel)
  }

  get isFull(): boolean {
    return this.heldBytes >= this.limits.heldBytes
  }
}

/** What one document takes of the room. Nobody waits for its reader: it has a slot only while its included items are looked up. */
export class DocumentRoom {
  readonly #shared: SharedRoom
  readonly #caller: Caller
  #heldBytes = 0
  #leave: (() => void) | undefined
  #hasBegun = false
  #isClosed = false

  constructor(shared: SharedRoom, caller: Caller) {
    this.#shared = shared
    this.#caller = caller
  }

  /**
   * Waits for a slot, unless the document has one.
   * @param heldBytes what the document holds by now
   * @throws ApiError `overloaded` where the document has not begun and there is too much of others; the reason of the signal
   */
  async enter(heldBytes: number): Promise<void> {
    if (!this.#leave) {
      const leave = await (this.#hasBegun ? this.#shared.slots.enter(this.#caller.signal) : this.#begin())
      if (this.#isClosed) return leave()
      this.#hasBegun = true
      this.#leave = leave
    }
    this.#shared.heldBytes += heldBytes - this.#heldBytes
    this.#heldBytes = heldBytes
  }

  /** Gives the slot back, to be called before anything waits for the reader. */
  leave(): void {
    this.#leave?.()
    this.#leave = undefined
  }

  /** The document ends, or is given up. */
  close(): void {
    this.#isClosed = true
    this.leave()
    this.#shared.heldBytes -= this.#heldBytes
    this.#heldBytes = 0
  }

  async #begin(): Promise<() => void> {
    const shared = this.#shared
    const { signal } = this.#caller
    if (shared.isFull || shared.waiting >= shared.limits.waiting) throw overloaded()
    const late = AbortSignal.timeout(shared.limits.waitMs)
    shared.waiting++
    try {
      const leave = await shared.slots.enter(AbortSignal.any([signal, late]))
      if (!shared.isFull) return leave
      leave()
    } catch (error) {
      if (signal.aborted || !late.aborted) throw error
    } finally {
      shared.waiting--
    }
    throw overloaded()
  }
}

function overloaded(): ApiError {
  return temporaryRefusal('overloaded', 'Too many large documents are under way; try again in a moment.')
}
