import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type JobTimes, scheduleOf } from './scheduled-job-times.ts'

const minuteMs = 60_000

/** What clocks of a zone show, by the parts that Intl writes. */
function localTime(timeZone: string): (timeMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
  })
  return (timeMs) => {
    const [month, day, year, hour, minute] = format.format(timeMs).split(/\D+/).map(Number)
    return Date.UTC(year!, month! - 1, day!, hour!, minute!)
  }
}

/** The times of a schedule in a range, from what the clocks show at each of its minutes. */
function timesByMinutes(
  timeZone: string,
  isTime: (localMs: number) => boolean,
  isOnce: boolean,
  fromMs: number,
  untilMs: number,
): readonly number[] {
  const local = localTime(timeZone)
  const times: number[] = []
  // Where they were before the range: what they showed then is not shown for the first time in it.
  const startMs = fromMs - 25 * 60 * minuteMs
  let shownMs = local(startMs - minuteMs)
  let lastShownMs = shownMs
  for (let timeMs = startMs; timeMs < untilMs; timeMs += minuteMs) {
    const localMs = local(timeMs)
    const skipped: number[] = []
    for (let each = lastShownMs + minuteMs; each < localMs; each += minuteMs) skipped.push(each)
    const isNew = localMs > shownMs
    const isDue = (isTime(localMs) && (isNew || !isOnce)) || skipped.some(isTime)
    if (isDue && timeMs >= fromMs) times.push(timeMs)
    shownMs = Math.max(shownMs, localMs)
    lastShownMs = localMs
  }
  return times
}

const dayMs = 1_440 * minuteMs
const dayOf = (localMs: number) => Math.floor(localMs / dayMs)
const minuteOf = (localMs: number) => (localMs - dayOf(localMs) * dayMs) / minuteMs

/** Days on which clocks change, and an ordinary one. */
const zones: readonly (readonly [zone: string, day: string])[] = [
  ['UTC', '2026-03-29'],
  ['Europe/Berlin', '2026-03-29'],
  ['Europe/Berlin', '2026-10-25'],
  ['America/New_York', '2026-03-08'],
  ['America/New_York', '2026-11-01'],
  ['America/St_Johns', '2026-11-01'],
  ['Asia/Kolkata', '2026-06-01'],
  ['Asia/Kathmandu', '2026-06-01'],
  ['Australia/Lord_Howe', '2026-10-04'],
  ['Australia/Lord_Howe', '2026-04-05'],
  ['Africa/Casablanca', '2026-02-15'],
  ['America/Santiago', '2026-09-06'],
  ['Asia/Beirut', '2026-03-29'],
  ['Pacific/Chatham', '2026-04-05'],
  ['Pacific/Apia', '2011-12-30'],
]

const everies = [
  ...[1, 5, 15, 20, 40, 60].map((minutes) => ({ every: `${minutes} minutes`, minutes })),
  ...[1, 2, 3, 6, 12].map((hours) => ({ every: `${hours} hours`, minutes: hours * 60 })),
] as const

function expectTimes(
  times: JobTimes,
  [zone, day]: (typeof zones)[number],
  isTime: (localMs: number) => boolean,
  isOnce: boolean,
  days: number,
): void {
  const startMs = Date.parse(`${day}T00:00:00Z`) - dayMs
  const endMs = startMs + days * dayMs
  const schedule = scheduleOf('job()', { ...times, timeZone: zone })
  const expected = timesByMinutes(zone, isTime, isOnce, startMs, endMs)
  const actual: number[] = []
  for (let at = schedule.next(startMs - 1); at < endMs; at = schedule.next(at)) actual.push(at)
  const inWords = (list: readonly number[]) => list.map((at) => new Date(at).toISOString())
  expect(inWords(actual)).toEqual(inWords(expected))
  fc.assert(
    fc.property(fc.integer({ min: startMs, max: endMs - 1 }), (nowMs) => {
      expect(schedule.latest(startMs - 1, nowMs)).toBe(expected.findLast((at) => at <= nowMs))
      const next = expected.find((at) => at > nowMs)
      if (next !== undefined) expect(schedule.next(nowMs)).toBe(next)
    }),
    { numRuns: 20 },
  )
}

describe.each(zones)('A schedule in %s about %s', (...zone) => {
  it.each(everies)('has the times of every $every', ({ every, minutes }) => {
    const isTime = (localMs: number) => minuteOf(localMs) % minutes === 0
    expectTimes({ every: every as JobTimes['every'] }, zone, isTime, minutes > 60, 3)
  })

  it('has the times of days', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 3 }),
        fc.oneof(fc.integer({ min: 0, max: 1_439 }), fc.integer({ min: 0, max: 240 })),
        (count, minute) => {
          const isTime = (localMs: number) =>
            dayOf(localMs) % count === 0 && minuteOf(localMs) === minute
          expectTimes({ every: `${count} days`, at: timeOfDay(minute) }, zone, isTime, true, 4)
        },
      ),
      { numRuns: 8 },
    )
  })

  it('has the times of weeks', () => {
    const isTime = (localMs: number) =>
      new Date(localMs).getUTCDay() === 0 && minuteOf(localMs) === 150
    expectTimes({ every: '1 week', on: 'sunday', at: '02:30' }, zone, isTime, true, 9)
  })
})

function timeOfDay(minute: number): string {
  const two = (number: number) => String(number).padStart(2, '0')
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}`
}

it('counts weeks from the first one of 1970', () => {
  const schedule = scheduleOf('job()', { every: '2 weeks', on: 'wednesday', at: '12:00' })
  const first = schedule.next(Date.parse('1970-01-01'))
  expect(new Date(first).toISOString()).toBe('1970-01-07T12:00:00.000Z')
  expect(new Date(schedule.next(first)).toISOString()).toBe('1970-01-21T12:00:00.000Z')
})

it('has one time of all that were missed: the last one', () => {
  const schedule = scheduleOf('job()', { every: '1 day', at: '03:00', timeZone: 'Europe/Berlin' })
  const lastMs = Date.parse('2026-01-01T02:00:00Z')
  const latest = (now: string) => schedule.latest(lastMs, Date.parse(now))
  expect(latest('2026-07-10T00:59:59Z')).toBe(Date.parse('2026-07-09T01:00:00Z'))
  expect(latest('2026-07-10T01:00:00Z')).toBe(Date.parse('2026-07-10T01:00:00Z'))
  expect(latest('2026-01-02T01:59:59Z')).toBeUndefined()
})

it('is refused with all that is wrong', () => {
  const refused = (times: object) => {
    expect(() => scheduleOf("job('a')", times as JobTimes)).toThrow()
    try {
      scheduleOf("job('a')", times as JobTimes)
    } catch (error) {
      return (error as Error).message.split('\n')
    }
    return []
  }
  expect(refused({ every: 'often', at: '24:00', on: 'noday', timeZone: 'Mars/Base' })).toEqual([
    "The option 'every' of job('a') must be a number of minutes, hours, days or weeks, such as '15 minutes' or '1 day'; got 'often'.",
    "The option 'at' of job('a') must be a time of the day from '00:00' to '23:59'; got '24:00'.",
    "The option 'on' of job('a') must be one of monday, tuesday, wednesday, thursday, friday, saturday, sunday; got 'noday'.",
    "The option 'timeZone' of job('a') must be the name of a time zone, such as 'Europe/Berlin'; got 'Mars/Base'.",
  ])
  expect(refused({ every: '1 day', timeZone: 'CET' })).toEqual([
    "The option 'timeZone' of job('a') must be the name of a time zone, such as 'Europe/Berlin'; got 'CET'.",
  ])
  expect(refused({ every: '7 minutes', at: '03:00', on: 'monday' })).toEqual([
    "The option 'every' of job('a') must be a number of minutes that divides a day; got '7 minutes'.",
    "The option 'at' of job('a') needs 'every' to be a number of days or weeks.",
    "The option 'on' of job('a') needs 'every' to be a number of weeks.",
  ])
  for (const every of [
    undefined,
    5,
    '',
    '0 days',
    '-1 days',
    '1.5 days',
    '1 month',
    '1  day',
    ' 1 day',
  ])
    expect(refused({ every })[0]).toContain("The option 'every'")
  expect(refused({ every: '5 hours' })[0]).toContain('hours that divides a day')
  expect(refused({ every: '53 weeks' })[0]).toContain('at most 366 days')
  for (const at of ['3:00', '03:60', '03:00:00', 3])
    expect(refused({ every: '1 day', at })).toHaveLength(1)
})
