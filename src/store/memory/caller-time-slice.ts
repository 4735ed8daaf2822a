import { performance } from 'node:perf_hooks'
import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { Caller } from '../store.ts'

/** How long a look at many items goes on before others get a turn of the event loop, in ms. */
const maxSliceMs = 5

/** Cuts a look at many items into parts, between which other requests are served. */
export class CallerTimeSlice {
  readonly #caller: Caller | undefined
  #since = performance.now()

  constructor(caller: Caller | undefined) {
    this.#caller = caller
  }

  get isOver(): boolean {
    return performance.now() - this.#since > maxSliceMs
  }

  /** @throws the reason of the caller's signal where it has left */
  async yieldToEventLoop(): Promise<void> {
    await yieldToEventLoop(this.#caller)
    this.#since = performance.now()
  }
}
