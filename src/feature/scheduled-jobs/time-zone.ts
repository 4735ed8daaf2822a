export const minuteMs = 60_000
export const dayMs = 86_400_000

/**
 * What the clocks of a time zone show. A *local time* is what they show, as the milliseconds that
 * have passed since 1970 where clocks in UTC show it.
 */
export class TimeZone {
  readonly #format: Intl.DateTimeFormat

  /** @throws RangeError if there is no such zone */
  constructor(name: string) {
    this.#format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' })
  }

  /** How far the local time is ahead of UTC. @throws RangeError if the time is not valid */
  offsetMs(timeMs: number): number {
    const text = this.#format.format(timeMs)
    const [, sign, hours, minutes, seconds = 0] = offsetPattern.exec(text) ?? []
    if (!sign) return 0
    const offset = (Number(hours) * 60 + Number(minutes)) * minuteMs + Number(seconds) * 1_000
    return sign === '-' ? -offset : offset
  }

  /**
   * When clocks show the local time, for the first time if they do so twice. If they skip it, when
   * they are set forward.
   */
  firstAt(localMs: number): number {
    // No zone is a day away from UTC.
    const startMs = localMs - dayMs
    const endMs = localMs + dayMs
    const changeMs = this.firstChange(startMs, endMs)
    const beforeMs = localMs - this.offsetMs(startMs)
    if (changeMs === undefined || beforeMs < changeMs) return beforeMs
    return Math.max(localMs - this.offsetMs(changeMs), changeMs)
  }

  /** When clocks are changed in a range with one change at most; its end belongs to it. */
  firstChange(afterMs: number, untilMs: number): number | undefined {
    const offsetMs = this.offsetMs(afterMs)
    if (this.offsetMs(untilMs) === offsetMs) return undefined
    let beforeMs = afterMs
    let changedMs = untilMs
    while (changedMs - beforeMs > 1) {
      const middleMs = Math.floor((beforeMs + changedMs) / 2)
      if (this.offsetMs(middleMs) === offsetMs) beforeMs = middleMs
      else changedMs = middleMs
    }
    return changedMs
  }
}

const offsetPattern = /GMT([+-])(\d{2}):(\d{2})(?::(\d{2}))?$/
