import { toInstantKey } from '../../query/instant.ts'
import type { SchemaCodec } from '../../schema/schema-codec.ts'
import { checkOptions, type OptionChecks } from '../check-options.ts'
import {
  type ScalarForm,
  type ScalarOptions,
  type ScalarSchema,
  scalarOptions,
  scalarSchema,
} from './scalar-schema.ts'

/** What `dateTime()` allows besides its values. */
export interface DateTimeOptions extends Omit<ScalarOptions, 'default'> {
  /** Does code see `Date` objects? It may set texts too. Default: false. */
  readonly date?: boolean
  /** The value of a new item without one, or a function that makes it. Default: none. */
  readonly default?: string | Date | null | (() => string | Date | null)
}

/**
 * Declares a date-time (RFC 3339) with a time zone, to the microsecond, in the years 1 to 9999. It
 * is kept in UTC, so that all stores respond alike: `2024-05-01T10:00:00+02:00` becomes
 * `2024-05-01T08:00:00Z`. It compares as an instant.
 *
 * ```ts
 * const Talk = model('talk', { begins: dateTime(), ended: dateTime({ optional: true }) })
 * ```
 *
 * With `date: true`, code sees `Date` objects, while JSON, filters and documents have the text. A
 * `Date` has milliseconds: a value that code leaves alone keeps its microseconds.
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function dateTime<const O extends DateTimeOptions = Record<never, never>>(
  options?: O,
): ScalarSchema<O> {
  if (options) checkOptions<DateTimeOptions>('dateTime()', options, dateTimeOptions)
  const form = options?.date ? { ...dateTimeForm, codec: dateCodec } : dateTimeForm
  return scalarSchema('dateTime()', form, options)
}

/**
 * Declares a day (RFC 3339, full-date) in the years 1 to 9999: `2024-05-01`.
 *
 * ```ts
 * const Author = model('author', { born: date({ nullable: true, default: '1900-01-01' }) })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function date<const O extends ScalarOptions = Record<never, never>>(
  options?: O,
): ScalarSchema<O> {
  if (options) checkOptions<ScalarOptions>('date()', options, scalarOptions)
  return scalarSchema('date()', dateForm, options)
}

const dateTimeForm: ScalarForm = {
  schema: { format: 'date-time' },
  expected: 'expected a date-time with a time zone, such as 2024-05-01T12:00:00Z',
  canonical: canonicalDateTime,
}

const dateForm: ScalarForm = {
  schema: { format: 'date' },
  expected: 'expected a date, such as 2024-05-01',
  canonical: (text) => (isDay(text) ? text : undefined),
}

const dateTimeOptions: OptionChecks<DateTimeOptions> = { ...scalarOptions, date: 'boolean' }

/** Code sees `Date` objects. */
export const dateCodec: SchemaCodec = {
  decode: (stored) => {
    const date = typeof stored === 'string' ? new Date(stored) : undefined
    return date && !Number.isNaN(date.getTime()) ? date : stored
  },
  encode: (value) =>
    value instanceof Date && !Number.isNaN(value.getTime())
      ? (canonicalDateTime(value.toISOString()) ?? value)
      : value,
}

/** As `dateTime()` keeps it; undefined if it is not valid. */
export function canonicalDateTime(text: string): string | undefined {
  if (!dateTimePattern.test(text) || !isDay(text.slice(0, dayLength))) return undefined
  const key = toInstantKey(text)
  return /^\d{4}-\d\d-\d\dT[^Z]+$/.test(key) && !/^0000|[+-]\d\d:\d\d$/.test(key)
    ? `${key}Z`
    : undefined
}

const dayLength = 'YYYY-MM-DD'.length
const dateTimePattern =
  /^\d{4}-\d\d-\d\dT(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,6})?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/

/** `Date` reads 30 February as 1 March. */
function isDay(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\d$/.test(text) || text.startsWith('0000')) return false
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
