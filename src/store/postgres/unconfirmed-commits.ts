import { StoreUnavailable } from '../store-failures.ts'

/** How often the server is asked how many commits still wait. */
const pauseMs = 1_000

/**
 * Keeps commits that wait for a standby from using up the connections of the server. Where such a
 * wait is given up, the server goes on waiting in a process of its own, which nobody can end
 * without acknowledging the commit. So while many do, no transaction begins.
 */
export class UnconfirmedCommits {
  readonly #maxCount: number
  readonly #ask: () => Promise<number>
  #count = 0
  #askedAt = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | undefined

  /** @param ask reads from the server how many commits wait that were given up */
  constructor(maxCount: number, ask: () => Promise<number>) {
    this.#maxCount = maxCount
    this.#ask = ask
  }

  /** The wait for a commit was given up. */
  add(): void {
    this.#count++
  }

  /** May a transaction begin, as far as this process knows? */
  get areFew(): boolean {
    return this.#count < this.#maxCount
  }

  /** @throws StoreUnavailable while too many commits wait */
  async check(): Promise<void> {
    if (this.areFew) return
    if (performance.now() - this.#askedAt >= pauseMs) {
      this.#askedAt = performance.now()
      this.#asking = this.#ask().then(
        (count) => {
          this.#count = count
        },
        // The server is away: the commits may still wait.
        () => {},
      )
    }
    await this.#asking
    if (!this.areFew)
      throw new StoreUnavailable(
        `${this.#count} commits wait for a standby of PostgreSQL, so no transaction begins.`,
      )
  }
}
