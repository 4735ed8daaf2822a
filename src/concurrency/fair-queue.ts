import { VirtualTime } from './virtual-time.ts'

/** What one client waits for. */
interface ClientQueue<T> {
  /** What the client will have used when it is served next, in units of cost. */
  start: number
  /** The entries by their kind, each with its number in the queue. */
  readonly kinds: Map<unknown, Map<T, number>>
}

/** What comes next. */
interface Turn<T> {
  readonly client: string
  readonly clientQueue: ClientQueue<T>
  readonly entry: T
  /** The least start of the other clients that have an entry that may run. */
  readonly leastOtherStart: number
}

/**
 * A queue in which clients take turns: next is the one that has used the least since it waits, and
 * the entries of one client are in their order. A client that comes anew starts at the virtual
 * time, so that nobody saves up; this goes on with each turn, so that nobody waits for ever.
 */
export class FairQueue<T extends string | object> {
  readonly #clientQueues = new Map<string, ClientQueue<T>>()
  readonly #time = new VirtualTime()
  /** The least start of those that wait, apart from those that could not run at the last turn. */
  #leastStart = Number.POSITIVE_INFINITY
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

  /** How many clients it remembers: those that wait, and those of its virtual time. */
  get clientCount(): number {
    return this.#clientQueues.size + this.#time.clientCount
  }

  push(client: string, entry: T): void {
    let clientQueue = this.#clientQueues.get(client)
    if (!clientQueue) {
      const start = this.#time.startOf(client)
      clientQueue = { start, kinds: new Map() }
      this.#clientQueues.set(client, clientQueue)
      this.#leastStart = Math.min(this.#leastStart, start)
    }
    const kind = this.#kindOf(entry)
    const entries = clientQueue.kinds.get(kind)
    if (entries) entries.set(entry, this.#pushed++)
    else clientQueue.kinds.set(kind, new Map([[entry, this.#pushed++]]))
    this.#length++
  }

  /** The entry that `shift` would return. */
  peek(): T | undefined {
    return this.#next()?.entry
  }

  /**
   * Removes the next entry that may run. It costs its client 1.
   * @param mayRun the same for all entries of a client and a kind
   * @returns undefined if there is none
   */
  shift(mayRun: (client: string, entry: T) => boolean = () => true): T | undefined {
    const next = this.#next(mayRun)
    this.#leastStart = next?.leastOtherStart ?? Number.POSITIVE_INFINITY
    if (!next) return undefined
    const { client, clientQueue, entry } = next
    const { start } = clientQueue
    this.#time.advanceTo(start)
    this.#remove(clientQueue, entry)
    clientQueue.start = start + 1
    // Behind the others that have used as much.
    this.#clientQueues.delete(client)
    const waitsAgain = clientQueue.kinds.size > 0
    if (waitsAgain) {
      this.#clientQueues.set(client, clientQueue)
      this.#leastStart = Math.min(this.#leastStart, clientQueue.start)
    }
    this.#time.advanceBy(1, this.#leastStart)
    if (!waitsAgain) this.#time.setStart(client, clientQueue.start)
    return entry
  }

  /** Adds to what a client has used, such as the milliseconds that its entry has taken. */
  charge(client: string, cost: number): void {
    const clientQueue = this.#clientQueues.get(client)
    const start = (clientQueue?.start ?? this.#time.startOf(client)) + cost
    this.#time.advanceBy(cost, this.#leastStart)
    if (clientQueue) clientQueue.start = start
    else this.#time.setStart(client, start)
  }

  /** Removes an entry that waits. */
  delete(client: string, entry: T): boolean {
    const clientQueue = this.#clientQueues.get(client)
    if (!clientQueue || !this.#remove(clientQueue, entry)) return false
    if (clientQueue.kinds.size === 0) {
      this.#clientQueues.delete(client)
      this.#time.setStart(client, clientQueue.start)
    }
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

  #next(mayRun: (client: string, entry: T) => boolean = () => true): Turn<T> | undefined {
    let next: { client: string; clientQueue: ClientQueue<T>; entry: T } | undefined
    let leastOtherStart = Number.POSITIVE_INFINITY
    for (const [client, clientQueue] of this.#clientQueues) {
      const { start } = clientQueue
      if (next && start >= leastOtherStart) continue
      const entry = firstEntry(client, clientQueue, mayRun)
      if (entry === undefined) continue
      if (next && start >= next.clientQueue.start) leastOtherStart = start
      else {
        leastOtherStart = next?.clientQueue.start ?? leastOtherStart
        next = { client, clientQueue, entry }
      }
    }
    if (!next) return undefined
    const { client, clientQueue, entry } = next
    return { client, clientQueue, entry, leastOtherStart }
  }
}

function firstEntry<T>(
  client: string,
  { kinds }: ClientQueue<T>,
  mayRun: (client: string, entry: T) => boolean,
): T | undefined {
  let first: T | undefined
  let firstNumber = Number.POSITIVE_INFINITY
  for (const [head] of kinds.values()) {
    if (!head || head[1] > firstNumber || !mayRun(client, head[0])) continue
    ;[first, firstNumber] = head
  }
  return first
}
