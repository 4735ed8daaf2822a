import { isDay, type ScalarType } from '../../model/value-type.ts'
import type { DatePart } from '../../query/group-plan.ts'
import { textLiteral } from '../sql/text-literal.ts'

/**
 * `datePart` (`groups/date-part.ts`) of a date or a date-time. A column may be of either type of
 * times, and of both this is the time since 1970 in UTC, whatever the time zone of the connection.
 */
export function datePartSql(
  value: string,
  type: ScalarType,
  part: DatePart,
  timeZone: string | undefined,
): string {
  const local = isDay(type)
    ? `${value}::date`
    : `(to_timestamp(extract(epoch from ${value})) at time zone ${textLiteral(timeZone ?? 'UTC')})`
  return `to_char(${local}, '${formats[part]}')`
}

const formats = {
  year: 'YYYY',
  quarter: 'YYYY-"Q"Q',
  month: 'YYYY-MM',
  week: 'IYYY-"W"IW',
  day: 'YYYY-MM-DD',
} as const satisfies Record<DatePart, string>
