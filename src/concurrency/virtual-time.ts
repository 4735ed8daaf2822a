/** Records are looked through when there are twice as many as were left the last time. */
const minSweepSize = 64

/**
 * The clock of start-time fair queuing (Goyal, Vin and Cheng 1996), in units of cost. The client
 * with the least start is next. One that has used nothing lately starts now, so that nobody saves
 * up.
 */
export class VirtualTime {
  #now = 0
  /** Where clients start that have used more than the time has gone on. */
  readonly #starts = new Map<string, number>()
  #sweepSize = minSweepSize

  /** How many clients it remembers: those that start after now, and up to as many others. */
  get clientCount(): number {
    return this.#starts.size
  }

  /** Where a client starts that begins to wait. */
  startOf(client: string): number {
    return Math.max(this.#now, this.#starts.get(client) ?? 0)
  }

  /** Remembers where a client starts when it waits again. */
  setStart(client: string, start: number): void {
    if (start <= this.#now) {
      this.#starts.delete(client)
      return
    }
    this.#starts.set(client, start)
    if (this.#starts.size <= this.#sweepSize) return
    for (const [other, otherStart] of this.#starts)
      if (otherStart <= this.#now) this.#starts.delete(other)
    this.#sweepSize = Math.max(minSweepSize, 2 * this.#starts.size)
  }

  /** A client with this start has its turn. */
  advanceTo(start: number): void {
    this.#now = Math.max(this.#now, start)
  }

  /**
   * Goes on by the cost of a turn, and up to one unit after the least start of those that wait. So
   * nobody waits for ever, because clients that come later start later. And clients with small
   * costs, which leave the queue between their turns, do not lose what they have not used.
   */
  advanceBy(cost: number, leastStart: number): void {
    this.#now = Math.max(this.#now, Math.min(this.#now + cost, leastStart + 1))
  }
}
