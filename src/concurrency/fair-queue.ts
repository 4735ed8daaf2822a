/** What one client waits for. */
interface Line<T> {
  /** What the client has used when its turn comes, in units of cost. */
  start: number
  /** The entries by their kind, each with its number in the queue. */
  readonly kinds: Map<unknown, Map<T, number>>
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
  #pushed = 0
  readonly #kindOf: (entry: T) => unknown

  /** @param kindOf entries of one kind may all run or none; by default, all are of one kind */
  constructor(kindOf: (entry: T) => unknown = () => undefined) {
    this.#kindOf = kindOf
  }

  get length(): number {
    return this.#length
  }

  push(client: string, entry: T): void {
    let line = this.#lines.get(client)
    if (!line) {
      const start = Math.max(this.#now, this.#used.get(client) ?? 0)
      line = { start, kinds: new Map() }
      this.#lines.set(client, line)
    }
    const kind = this.#kindOf(entry)
    const entries = line.kinds.get(kind)
    if (entries) entries.set(entry, this.#pushed++)
    else line.kinds.set(kind, new Map([[entry, this.#pushed++]]))
    this.#length++
  }

  /** The entry that `shift` would return. */
  peek(): T | undefined {
    return this.#next()?.[2]
  }

  /**
   * Removes the next entry that may run. It costs its client 1.
   * @param mayRun the same for all entries of a client and a kind
   * @returns undefined if there is none
   */
  shift(mayRun: (client: string, entry: T) => boolean = () => true): T | undefined {
    const next = this.#next(mayRun)
    if (!next) return undefined
    const [client, line, entry] = next
    this.#now = Math.max(this.#now, line.start)
    this.#remove(line, entry)
    // Behind the others that have used as much.
    this.#lines.delete(client)
    if (line.kinds.size > 0) this.#lines.set(client, line)
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
    if (!line || !this.#remove(line, entry)) return false
    if (line.kinds.size === 0) this.#lines.delete(client)
    return true
  }

  #remove({ kinds }: Line<T>, entry: T): boolean {
    const kind = this.#kindOf(entry)
    const entries = kinds.get(kind)
    if (!entries?.delete(entry)) return false
    if (entries.size === 0) kinds.delete(kind)
    this.#length--
    return true
  }

  #next(
    mayRun: (client: string, entry: T) => boolean = () => true,
  ): [client: string, line: Line<T>, entry: T] | undefined {
    let next: [string, Line<T>, T] | undefined
    for (const [client, line] of this.#lines) {
      if (next && line.start >= next[1].start) continue
      let first = Number.POSITIVE_INFINITY
      for (const [head] of line.kinds.values()) {
        if (!head) continue
        const [entry, number] = head
        if (number > first || !mayRun(client, entry)) continue
        first = number
        next = [client, line, entry]
      }
    }
    return next
  }
}
