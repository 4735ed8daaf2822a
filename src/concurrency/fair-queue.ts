/** What one client waits for. */
interface ClientQueue<T> {
  /** What the client will have used when it is served next, in units of cost. */
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
  readonly #clientQueues = new Map<string, ClientQueue<T>>()
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
    let clientQueue = this.#clientQueues.get(client)
    if (!clientQueue) {
      const start = Math.max(this.#now, this.#used.get(client) ?? 0)
      clientQueue = { start, kinds: new Map() }
      this.#clientQueues.set(client, clientQueue)
    }
    const kind = this.#kindOf(entry)
    const entries = clientQueue.kinds.get(kind)
    if (entries) entries.set(entry, this.#pushed++)
    else clientQueue.kinds.set(kind, new Map([[entry, this.#pushed++]]))
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
    const [client, clientQueue, entry] = next
    this.#now = Math.max(this.#now, clientQueue.start)
    this.#remove(clientQueue, entry)
    // Behind the others that have used as much.
    this.#clientQueues.delete(client)
    if (clientQueue.kinds.size > 0) this.#clientQueues.set(client, clientQueue)
    this.charge(client, 1)
    return entry
  }

  /** Adds to what a client has used, such as the milliseconds that its entry has taken. */
  charge(client: string, cost: number): void {
    const clientQueue = this.#clientQueues.get(client)
    if (clientQueue) clientQueue.start += cost
    if (this.#length === 0) this.#used.clear()
    else this.#used.set(client, Math.max(this.#now, this.#used.get(client) ?? 0) + cost)
  }

  /** Removes an entry that waits. */
  delete(client: string, entry: T): boolean {
    const clientQueue = this.#clientQueues.get(client)
    if (!clientQueue || !this.#remove(clientQueue, entry)) return false
    if (clientQueue.kinds.size === 0) this.#clientQueues.delete(client)
    return true
  }

  #remove({ kinds }: ClientQueue<T>, entry: T): boolean {
    const kind = this.#kindOf(entry)
    const entries = kinds.get(kind)
    if (!entries?.delete(entry)) return false
    if (entries.size === 0) kinds.delete(kind)
    this.#length--
    return true
  }

  #next(
    mayRun: (client: string, entry: T) => boolean = () => true,
  ): [client: string, clientQueue: ClientQueue<T>, entry: T] | undefined {
    let next: [string, ClientQueue<T>, T] | undefined
    for (const [client, clientQueue] of this.#clientQueues) {
      if (next && clientQueue.start >= next[1].start) continue
      let first = Number.POSITIVE_INFINITY
      for (const [head] of clientQueue.kinds.values()) {
        if (!head) continue
        const [entry, number] = head
        if (number > first || !mayRun(client, entry)) continue
        first = number
        next = [client, clientQueue, entry]
      }
    }
    return next
  }
}
