/** What one client waits for. */
interface Line<T> {
  /** What the client has used when its turn comes, in units of cost. */
  start: number
  readonly entries: Set<T>
}

/**
 * A queue in which clients take turns: next is the one that has used the least since it waits, and
 * the entries of one client are in their order. A client that comes anew counts as one that has
 * used as much as the last one served, so that nobody saves up (start-time fair queuing, Goyal,
 * Vin and Cheng 1996).
 */
export class FairQueue<T> {
  readonly #lines = new Map<string, Line<T>>()
  /** What clients have used, until the queue is empty. */
  readonly #used = new Map<string, number>()
  #now = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  push(client: string, entry: T): void {
    const line = this.#lines.get(client)
    if (line) line.entries.add(entry)
    else {
      const start = Math.max(this.#now, this.#used.get(client) ?? 0)
      this.#lines.set(client, { start, entries: new Set([entry]) })
    }
    this.#length++
  }

  /** The entry that `shift` would return. */
  peek(): T | undefined {
    return this.#next()?.[2]
  }

  /**
   * Removes the next entry that may run. It costs its client 1.
   * @returns undefined if there is none
   */
  shift(mayRun: (client: string, entry: T) => boolean = () => true): T | undefined {
    const next = this.#next(mayRun)
    if (!next) return undefined
    const [client, line, entry] = next
    this.#now = Math.max(this.#now, line.start)
    line.entries.delete(entry)
    this.#length--
    // Behind the others that have used as much.
    this.#lines.delete(client)
    if (line.entries.size > 0) this.#lines.set(client, line)
    this.charge(client, 1)
    return entry
  }

  /** Adds to what a client has used, such as the milliseconds that its entry has taken. */
  charge(client: string, cost: number): void {
    const line = this.#lines.get(client)
    if (line) line.start += cost
    if (this.#length === 0) this.#used.clear()
    else this.#used.set(client, Math.max(this.#now, this.#used.get(client) ?? 0) + cost)
  }

  /** Removes an entry that waits. */
  delete(client: string, entry: T): boolean {
    const line = this.#lines.get(client)
    if (!line?.entries.delete(entry)) return false
    this.#length--
    if (line.entries.size === 0) this.#lines.delete(client)
    return true
  }

  #next(
    mayRun: (client: string, entry: T) => boolean = () => true,
  ): [client: string, line: Line<T>, entry: T] | undefined {
    let next: [string, Line<T>, T] | undefined
    for (const [client, line] of this.#lines) {
      if (next && line.start >= next[1].start) continue
      for (const entry of line.entries) {
        if (!mayRun(client, entry)) continue
        next = [client, line, entry]
        break
      }
    }
    return next
  }
}
