/** What a worker is asked, and what follows if it does not respond. */
export interface Responding {
  /** Does it owe a message to the primary? */
  owesMessage(): boolean
  /** Called once when it has sent nothing for `blockedAfterSeconds`. */
  onBlocked(): void
  /** Called when it sends something after that. */
  onResponsive(): void
  /** Called when it has sent nothing for `givenUpAfterSeconds`. */
  onGivenUp(): void
}

export const blockedAfterSeconds = 10
export const givenUpAfterSeconds = 40

/**
 * Notices a worker that is blocked: it has connections to accept, and sends no message. Seconds are
 * counted one by one, so that a primary that was suspended itself blames no worker.
 */
export class Responsiveness {
  readonly #worker: Responding
  readonly #timer: NodeJS.Timeout
  #silentSeconds = 0

  constructor(worker: Responding) {
    this.#worker = worker
    this.#timer = setInterval(() => this.#countSecond(), 1_000).unref()
  }

  get isBlocked(): boolean {
    return this.#silentSeconds >= blockedAfterSeconds
  }

  /** Called for each message of the worker. */
  onMessage(): void {
    const wasBlocked = this.isBlocked
    this.#silentSeconds = 0
    if (wasBlocked) this.#worker.onResponsive()
  }

  end(): void {
    clearInterval(this.#timer)
  }

  #countSecond(): void {
    if (!this.isBlocked && !this.#worker.owesMessage()) {
      this.#silentSeconds = 0
      return
    }
    this.#silentSeconds++
    if (this.#silentSeconds === blockedAfterSeconds) this.#worker.onBlocked()
    if (this.#silentSeconds === givenUpAfterSeconds) this.#worker.onGivenUp()
  }
}
