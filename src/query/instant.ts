/**
 * A date-time (RFC 3339) as text that compares by code point as the instant does: in UTC, without a
 * zone, with as many digits of a second as say something. One without a zone counts as UTC.
 * Anything else, and what lies in UTC outside the years 0 to 9999, stays as it is.
 *
 * ```ts
 * instantKey('2024-05-01T10:00+02:00') // '2024-05-01T08:00:00'
 * instantKey('2024-05-01T08:00:00.50Z') // '2024-05-01T08:00:00.5'
 * ```
 *
 * Stores that compile it (`Dialect.instant`) come to the same.
 */
export function toInstantKey(text: string): string {
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone] =
    dateTime.exec(text) ?? []
  if (year === undefined) return text
  const end = fraction.replace(/\.?0*$/, '')
  const isUtc = zone === undefined || zone === 'Z'
  // On a day that every month has nothing is to be counted.
  if (isUtc && day! <= '28' && hour! <= '23')
    return `${text.slice(0, minutesLength)}:${second}${end}`
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute) - offsetOf(zone), Number(second))
  const utc = date.toISOString()
  // Years outside four digits begin with a sign.
  if (!/^\d/.test(utc)) return text
  return utc.slice(0, secondsLength) + end
}

const minutesLength = 'YYYY-MM-DDTHH:MM'.length
const secondsLength = 'YYYY-MM-DDTHH:MM:SS'.length

/**
 * The ranges are those of SQLite: offsets up to 14:59, and an hour 24, which is the first of the
 * next day.
 */
const dateTime =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-4]):([0-5]\d)(?::([0-5]\d)(\.\d+)?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/

/** In minutes. */
function offsetOf(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))
  return zone.startsWith('-') ? -minutes : minutes
}
