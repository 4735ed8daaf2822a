import { dayMs, minuteMs, TimeZone } from './time-zone.ts'

/** When a job runs. */
export type Times =
  /** Each time that local clocks show a multiple of so many minutes, an hour at most. */
  | { readonly kind: 'interval'; readonly minutes: number }
  /** At these minutes of some days. Days are counted from 1970-01-01. */
  | {
      readonly kind: 'minutesOfDays'
      readonly minutesOfDay: readonly number[]
      readonly everyDays: number
      /** One of these days. */
      readonly firstDay: number
    }

/** The times at which a job runs, in the order of time. Each is in milliseconds since 1970. */
export class Schedule {
  readonly #times: Times
  readonly #zone: TimeZone
  /** No two times that follow each other are so far apart. */
  readonly #longestMs: number

  constructor(times: Times, timeZone: string) {
    this.#times = times
    this.#zone = new TimeZone(timeZone)
    this.#longestMs = times.kind === 'interval' ? dayMs / 8 : (times.everyDays + 3) * dayMs
  }

  /** The first time after this one. */
  next(afterMs: number): number {
    for (const timeMs of this.#timesAfter(afterMs)) return timeMs
    throw new Error('Schedules have no end.')
  }

  /** The last time in this range, whose end belongs to it; undefined if there is none. */
  latest(afterMs: number, untilMs: number): number | undefined {
    let latest: number | undefined
    for (const timeMs of this.#timesAfter(Math.max(afterMs, untilMs - this.#longestMs))) {
      if (timeMs > untilMs) return latest
      latest = timeMs
    }
    return latest
  }

  *#timesAfter(afterMs: number): Generator<number, void> {
    const times = this.#times
    const candidates =
      times.kind === 'interval'
        ? timesOfInterval(this.#zone, times.minutes * minuteMs, afterMs)
        : timesOfDays(this.#zone, times, afterMs)
    let lastMs = afterMs
    for (const timeMs of candidates) {
      if (timeMs <= lastMs) continue
      lastMs = timeMs
      yield timeMs
    }
  }
}

function* timesOfInterval(
  zone: TimeZone,
  intervalMs: number,
  afterMs: number,
): Generator<number, never> {
  for (let timeMs = afterMs; ; yield timeMs) timeMs = nextOfInterval(zone, intervalMs, timeMs)
}

/** Clocks that are changed between two times may skip one, or show one again. */
function nextOfInterval(zone: TimeZone, intervalMs: number, afterMs: number): number {
  const offsetMs = zone.offsetMs(afterMs)
  const nextLocalMs = multipleAfter(afterMs + offsetMs, intervalMs)
  const nextMs = nextLocalMs - offsetMs
  const changeMs = zone.firstChange(afterMs, nextMs)
  if (changeMs === undefined) return nextMs
  const changedOffsetMs = zone.offsetMs(changeMs)
  const changedLocalMs = changeMs + changedOffsetMs
  const isTime = changedLocalMs >= nextLocalMs || changedLocalMs % intervalMs === 0
  return isTime ? changeMs : multipleAfter(changedLocalMs, intervalMs) - changedOffsetMs
}

function multipleAfter(value: number, factor: number): number {
  return (Math.floor(value / factor) + 1) * factor
}

/** From at least a day before the time, in the order of time. Two may be the same. */
function* timesOfDays(
  zone: TimeZone,
  times: Extract<Times, { kind: 'minutesOfDays' }>,
  afterMs: number,
): Generator<number, never> {
  const { minutesOfDay, everyDays, firstDay } = times
  // Where clocks are set forward by a day, a time of the day before runs after it.
  const startDay = Math.floor((afterMs + zone.offsetMs(afterMs)) / dayMs) - 2
  const daysBefore = (((startDay - firstDay) % everyDays) + everyDays) % everyDays
  for (let day = startDay - daysBefore; ; day += everyDays)
    for (const minute of minutesOfDay) yield zone.firstAt(day * dayMs + minute * minuteMs)
}
