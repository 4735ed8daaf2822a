import { performance } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'

/** Milliseconds that a work may take in a row before other requests get their turn. */
const maxSliceMs = 5

/** Cuts long work into slices, between which other requests are served. */
export class TimeSlice {
  #since = performance.now()

  /** Has the present slice taken long enough? */
  isOver(): boolean {
    return performance.now() - this.#since > maxSliceMs
  }

  /** Lets the event loop turn; to be called when the slice is over. */
  async yieldToEventLoop(): Promise<void> {
    await setImmediate()
    this.#since = performance.now()
  }
}
