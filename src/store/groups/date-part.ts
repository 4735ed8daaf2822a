import { lruCache } from '../../cache/lru-cache.ts'
import type { DatePart } from '../../query/group-plan.ts'

const dayPattern = /^(\d{4})-(\d{2})-\d{2}/

/**
 * The part of a date, or of a date-time as `toInstantKey` returns it; null for any other text.
 *
 * ```ts
 * datePart('2024-05-01T22:30:00', 'day', 'Europe/Berlin') // '2024-05-02'
 * datePart('2024-05-01', 'quarter', undefined) // '2024-Q2'
 * ```
 */
export function datePart(key: string, part: DatePart, timeZone: string | undefined): string | null {
  const day = timeZone === undefined ? key.slice(0, dayLength) : localDay(key, timeZone)
  const match = dayPattern.exec(day)
  if (!match) return null
  const [, year, month] = match
  switch (part) {
    case 'year':
      return year!
    case 'quarter':
      return `${year}-Q${Math.ceil(Number(month) / 3)}`
    case 'month':
      return `${year}-${month}`
    case 'week':
      return isoWeek(day)
    case 'day':
      return day
  }
}

const dayLength = 'YYYY-MM-DD'.length
const dayMs = 86_400_000

/** The week of ISO 8601: it belongs to the year that has its Thursday. Null for no day. */
function isoWeek(day: string): string | null {
  const date = new Date(`${day}T00:00:00Z`)
  if (Number.isNaN(date.getTime())) return null
  const weekday = (date.getUTCDay() + 6) % 7
  const thursday = new Date(date.getTime() + (3 - weekday) * dayMs)
  const year = thursday.getUTCFullYear()
  const firstDay = new Date(0).setUTCFullYear(year, 0, 1)
  const week = 1 + Math.floor((thursday.getTime() - firstDay) / (7 * dayMs))
  return `${String(year).padStart(4, '0')}-W${String(week).padStart(2, '0')}`
}

/**
 * The day that an instant has in a time zone, as `YYYY-MM-DD`; a date is a day already. The worker
 * of SQLite has a copy (`scan-worker.js`), and a test compares the two.
 */
export function localDay(key: string, timeZone: string): string {
  if (key.length <= dayLength) return key
  const ms = Date.parse(`${key}Z`)
  if (Number.isNaN(ms)) return key.slice(0, dayLength)
  const slot = Math.floor(ms / slotMs)
  const cacheKey = `${timeZone} ${slot}`
  let offset = offsets.get(cacheKey)
  if (offset === undefined) {
    const start = offsetAt(slot * slotMs, timeZone)
    const end = offsetAt(slot * slotMs + slotMs - 1, timeZone)
    // Within the slot of a change, each instant is looked up by itself.
    offset = start === end ? start : Number.NaN
    offsets.set(cacheKey, offset)
  }
  const local = ms + (Number.isNaN(offset) ? offsetAt(ms, timeZone) : offset)
  const day = new Date(Math.min(Math.max(local, firstDayMs), lastDayMs))
  return day.toISOString().slice(0, dayLength)
}

// A local day beyond the years of four digits is the first or last of these.
const firstDayMs = Date.parse('0000-01-01T00:00:00Z')
const lastDayMs = Date.parse('9999-12-31T00:00:00Z')
const slotMs = 900_000
const offsets = lruCache<string, number>(20_000)
const formats = lruCache<string, Intl.DateTimeFormat>(100)

/**
 * No time zone changed its offset before: what is earlier has that of this instant, because `Intl`
 * shows the Julian calendar before 1582, and `Date.UTC` takes the year 1 for 1901.
 */
const firstOffsetMs = Date.UTC(1600)

/** How far the time zone is ahead of UTC at an instant, in milliseconds. */
function offsetAt(instantMs: number, timeZone: string): number {
  const ms = Math.max(instantMs, firstOffsetMs)
  let format = formats.get(timeZone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-u-ca-iso8601', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
    formats.set(timeZone, format)
  }
  const parts: Record<string, number> = {}
  for (const { type, value } of format.formatToParts(ms)) parts[type] = Number(value)
  const { year, month, day, hour, minute, second } = parts
  const local = Date.UTC(year!, month! - 1, day!, hour!, minute!, second!)
  return local - Math.floor(ms / 1_000) * 1_000
}
