/**
 * A date-time (RFC 3339) as a string whose order by code point is the order of the instants: in
 * UTC, without a time zone and without trailing zeros. A date-time without a time zone counts as
 * UTC. Any other text, and instants outside the years 0 to 9999 in UTC, are returned unchanged.
 *
 * ```ts
 * toInstantKey('2024-05-01T10:00+02:00') // '2024-05-01T08:00:00'
 * toInstantKey('2024-05-01T08:00:00.50Z') // '2024-05-01T08:00:00.5'
 * ```
 *
 * SQL stores compute the same key (`Dialect.instant`).
 */
export function toInstantKey(text: string): string {
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone] =
    dateTime.exec(text) ?? []
  if (year === undefined) return text
  const digits = fraction.replace(/\.?0*$/, '')
  const isUtc = zone === undefined || zone === 'Z'
  // The usual case: every month has the day, so nothing has to be computed.
  if (isUtc && day! <= '28' && hour! <= '23')
    return `${text.slice(0, minutesLength)}:${second}${digits}`
  const date = new Date(0)
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  date.setUTCHours(Number(hour), Number(minute) - offsetOf(zone), Number(second))
  const utc = date.toISOString()
  // Years of more than four digits begin with a sign.
  if (!/^\d/.test(utc)) return text
  return utc.slice(0, secondsLength) + digits
}

const minutesLength = 'YYYY-MM-DDTHH:MM'.length
const secondsLength = 'YYYY-MM-DDTHH:MM:SS'.length

/**
 * Accepts what SQLite accepts: offsets up to 14:59, and the hour 24, which is 0 of the next day.
 */
const dateTime =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-4]):([0-5]\d)(?::([0-5]\d)(\.\d+)?)?(Z|[+-](?:0\d|1[0-4]):[0-5]\d)?$/

/** In minutes. */
function offsetOf(zone: string | undefined): number {
  if (zone === undefined || zone === 'Z') return 0
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4))
  return zone.startsWith('-') ? -minutes : minutes
}
