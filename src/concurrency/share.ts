export interface ShareLimits {
  /** How many tasks run at a time. */
  readonly max: number
  /** How many of them one client has. Default: all. */
  readonly maxPerClient?: number
  /** The larger share that this one is a part of. */
  readonly within?: Share
}

/** A part of the permits of a semaphore, for tasks of one kind. */
export class Share {
  readonly #max: number
  readonly #maxPerClient: number
  readonly #within: Share | undefined
  readonly #countOfClient = new Map<string, number>()
  #count = 0

  constructor({ max, maxPerClient = max, within }: ShareLimits) {
    this.#max = max
    this.#maxPerClient = maxPerClient
    this.#within = within
  }

  /** How many tasks run. */
  get count(): number {
    return this.#count
  }

  hasRoomFor(client: string): boolean {
    return (
      this.#count < this.#max &&
      this.#countOf(client) < this.#maxPerClient &&
      (this.#within?.hasRoomFor(client) ?? true)
    )
  }

  /** A task of the client begins. */
  enter(client: string): void {
    this.#within?.enter(client)
    this.#count++
    this.#countOfClient.set(client, this.#countOf(client) + 1)
  }

  /** A task of the client has ended. */
  leave(client: string): void {
    this.#within?.leave(client)
    this.#count--
    const count = this.#countOf(client) - 1
    if (count > 0) this.#countOfClient.set(client, count)
    else this.#countOfClient.delete(client)
  }

  #countOf(client: string): number {
    return this.#countOfClient.get(client) ?? 0
  }
}
