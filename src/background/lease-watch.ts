import { performance } from 'node:perf_hooks'
import type { LeasedRow } from './leased-rows.ts'

/** Finds out, by the clock of this process alone, whether the owner of a row writes still. */
export class LeaseWatch {
  #seen: LeasedRow | undefined
  #seenAt = 0

  /**
   * Call it with each look at the row.
   * @returns may another process take over?
   */
  isFree({ owner, beat }: LeasedRow, expireMs: number): boolean {
    const now = performance.now()
    if (this.#seen?.beat !== beat || this.#seen.owner !== owner) {
      this.#seen = { owner, beat }
      this.#seenAt = now
    }
    return owner === '' || now - this.#seenAt >= expireMs
  }
}
