/** How far the log of changes is. */
export interface LatestChange {
  /** Differs once more can be read. */
  readonly text: string | null
  /** Are there changes that can be read only once other transactions have ended? */
  readonly isFollowed: boolean
}

interface ChangePollOptions {
  look(): Promise<LatestChange>
  /** How long it waits where nothing is expected. */
  idleMs(): number
  /** More can be read than before. */
  onChange(): void
}

/** The least time between two looks. */
const minPauseMs = 10
/** The pauses while changes wait for other transactions grow from one to the other. */
const followedMs = { first: 20, last: 100 }

/** Looks in pauses whether more can be read of the log of changes, until it is stopped. */
export class ChangePoll {
  readonly #options: ChangePollOptions
  #known: string | null | undefined
  #timer: NodeJS.Timeout | undefined
  /** When the next look is due. */
  #dueAt = Number.POSITIVE_INFINITY
  #lookedAt = Number.NEGATIVE_INFINITY
  #followedMs = followedMs.first
  #isLooking = false
  #isStopped = false

  constructor(options: ChangePollOptions) {
    this.#options = options
    this.lookWithin(0)
  }

  /** Looks after this time at the latest. */
  lookWithin(pauseMs: number): void {
    const now = performance.now()
    const dueAt = Math.max(now + pauseMs, this.#lookedAt + minPauseMs)
    if (this.#isStopped || dueAt >= this.#dueAt) return
    this.#dueAt = dueAt
    if (!this.#isLooking) this.#schedule(now)
  }

  stop(): void {
    this.#isStopped = true
    clearTimeout(this.#timer)
  }

  #schedule(now: number): void {
    clearTimeout(this.#timer)
    this.#timer = setTimeout(() => void this.#look(), this.#dueAt - now).unref()
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    this.#dueAt = Number.POSITIVE_INFINITY
    this.#lookedAt = performance.now()
    let pauseMs = this.#options.idleMs()
    try {
      const { text, isFollowed } = await this.#options.look()
      if (this.#isStopped) return
      if (isFollowed) pauseMs = this.#followedMs
      this.#followedMs = isFollowed
        ? Math.min(2 * this.#followedMs, followedMs.last)
        : followedMs.first
      if (text !== this.#known) this.#options.onChange()
      this.#known = text
    } catch {
      // The database is away, or has no log yet.
    }
    this.lookWithin(pauseMs)
    this.#isLooking = false
    if (!this.#isStopped) this.#schedule(performance.now())
  }
}
