import { parsePosition, type WritePosition } from './write-position.ts'

/** How often the primary is asked. */
const askMs = 1_000

/** The timeline of the primary, as far as it is known. */
export class PrimaryTimeline {
  readonly #ask: () => Promise<string | undefined>
  #latest = 0
  #askedAt = Number.NEGATIVE_INFINITY

  /** @param ask reads the position of the primary */
  constructor(ask: () => Promise<string | undefined>) {
    this.#ask = ask
  }

  /** @returns the position of the primary, if it can be read */
  async position(): Promise<string | undefined> {
    const position = await this.#ask()
    if (position !== undefined)
      this.#latest = Math.max(this.#latest, parsePosition(position).timeline)
    return position
  }

  /** Is the position of an earlier timeline, so that no replica may ever get there? */
  isAfter({ timeline }: WritePosition): boolean {
    return timeline < this.#latest
  }

  /** Asks the primary, which may be away, unless it was asked just now. */
  refresh(): void {
    const now = performance.now()
    if (now - this.#askedAt < askMs) return
    this.#askedAt = now
    void this.position()
  }
}
