import { performance } from 'node:perf_hooks'
import { fairTurn } from '../fair-turn.ts'
import type { Caller } from '../store.ts'

/** How long a look at many items goes on before others get a turn of the event loop, in ms. */
const longestMs = 5

/** Cuts a look at many items into parts, between which other requests are served. */
export class Pauses {
  readonly #caller: Caller | undefined
  #since = performance.now()

  constructor(caller: Caller | undefined) {
    this.#caller = caller
  }

  get isDue(): boolean {
    return performance.now() - this.#since > longestMs
  }

  /** @throws the reason of the caller's signal where it has left */
  async pause(): Promise<void> {
    await fairTurn(this.#caller)
    this.#since = performance.now()
  }
}
