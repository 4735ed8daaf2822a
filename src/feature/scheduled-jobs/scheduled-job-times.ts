import { RegistrationError } from '../../model/registration-error.ts'
import { isTimeZone } from '../../model/time-zone-name.ts'
import { Schedule, type Times } from './schedule.ts'

/** The first day of a week is Monday. */
export type Weekday =
  | 'monday'
  | 'tuesday'
  | 'wednesday'
  | 'thursday'
  | 'friday'
  | 'saturday'
  | 'sunday'

const weekdays: readonly Weekday[] = [
  'monday',
  'tuesday',
  'wednesday',
  'thursday',
  'friday',
  'saturday',
  'sunday',
]

/** Of times. */
export type TimeUnit = 'minute' | 'hour' | 'day' | 'week'

/** When a scheduled job runs. */
export interface JobTimes {
  /**
   * `15 minutes`, `1 hour`, `1 day`, `2 weeks`. Minutes and hours are counted from midnight, and
   * have to divide a day. Days are counted from 1970-01-01, and weeks from the one that
   * begins on 1970-01-05.
   */
  readonly every: `${number} ${TimeUnit | `${TimeUnit}s`}`
  /** The time of the day for days and weeks, from `00:00` to `23:59`. Default: `00:00`. */
  readonly at?: string
  /** The day for weeks. Default: `monday`. */
  readonly on?: Weekday
  /**
   * The zone whose clocks say when it is time: an IANA name with a slash, such as `Europe/Berlin`.
   * Default: `UTC`.
   */
  readonly timeZone?: string
}

const minutesPerDay = 1_440
const maxDays = 366
/** The first Monday of 1970, in days after its first of January. */
const firstMonday = 4

/** @throws RegistrationError with everything that is wrong */
export function scheduleOf(owner: string, options: JobTimes): Schedule {
  const faults: string[] = []
  const addFault = (option: keyof JobTimes, expected: string): void => {
    const value = String(options[option])
    faults.push(`The option '${option}' of ${owner} must be ${expected}; got '${value}'.`)
  }
  const every = parseEvery(options.every)
  if (!every)
    addFault('every', "a number of minutes, hours, days or weeks, such as '15 minutes' or '1 day'")
  else if (every.unit === 'minute' && minutesPerDay % every.count !== 0)
    addFault('every', 'a number of minutes that divides a day')
  else if (every.unit === 'hour' && 24 % every.count !== 0)
    addFault('every', 'a number of hours that divides a day')
  else if (every.count * daysOf(every.unit) > maxDays) addFault('every', `at most ${maxDays} days`)
  const minute = parseTimeOfDay(options.at ?? '00:00')
  if (minute === undefined) addFault('at', "a time of the day from '00:00' to '23:59'")
  if (options.on !== undefined && !weekdays.includes(options.on))
    addFault('on', `one of ${weekdays.join(', ')}`)
  const timeZone = options.timeZone ?? 'UTC'
  if (typeof timeZone !== 'string' || !isTimeZone(timeZone))
    addFault('timeZone', "the name of a time zone, such as 'Europe/Berlin'")
  if (every && options.at !== undefined && daysOf(every.unit) === 0)
    faults.push(`The option 'at' of ${owner} needs 'every' to be a number of days or weeks.`)
  if (every && options.on !== undefined && every.unit !== 'week')
    faults.push(`The option 'on' of ${owner} needs 'every' to be a number of weeks.`)
  if (faults.length > 0) throw new RegistrationError(faults.join('\n'))
  return new Schedule(timesOf(every!, minute!, options.on ?? 'monday'), timeZone)
}

interface Every {
  readonly count: number
  readonly unit: TimeUnit
}

function parseEvery(every: unknown): Every | undefined {
  if (typeof every !== 'string') return undefined
  const [, count, unit] = /^([1-9]\d{0,3}) (minute|hour|day|week)s?$/.exec(every) ?? []
  return count === undefined ? undefined : { count: Number(count), unit: unit as TimeUnit }
}

function daysOf(unit: TimeUnit): number {
  return unit === 'week' ? 7 : unit === 'day' ? 1 : 0
}

function parseTimeOfDay(at: unknown): number | undefined {
  if (typeof at !== 'string') return undefined
  const [, hours, minutes] = /^([01]\d|2[0-3]):([0-5]\d)$/.exec(at) ?? []
  return hours === undefined ? undefined : Number(hours) * 60 + Number(minutes)
}

function timesOf({ count, unit }: Every, minute: number, on: Weekday): Times {
  const days = count * daysOf(unit)
  const firstDay = unit === 'week' ? firstMonday + weekdays.indexOf(on) : 0
  if (days > 0) return { kind: 'minutesOfDays', minutesOfDay: [minute], everyDays: days, firstDay }
  const minutes = unit === 'hour' ? count * 60 : count
  if (minutes <= 60) return { kind: 'interval', minutes }
  const minutesOfDay = Array.from(
    { length: minutesPerDay / minutes },
    (_, index) => index * minutes,
  )
  return { kind: 'minutesOfDays', minutesOfDay, everyDays: 1, firstDay: 0 }
}
