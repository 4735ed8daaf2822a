import { isDay, type ScalarType } from '../../model/value-type.ts'
import type { DatePart } from '../../query/group-plan.ts'
import { textLiteral } from '../sql/text-literal.ts'

/**
 * The beginning of the part of a date, or of an instant in its time zone: `partTextSql` makes the
 * text of it once for each group, which takes longer.
 */
export function datePartSql(
  value: string,
  type: ScalarType,
  part: DatePart,
  timeZone: string | undefined,
): string {
  const local = isDay(type)
    ? `${value}::date::timestamp`
    : `(${value} at time zone ${textLiteral(timeZone ?? 'UTC')})`
  return `date_trunc('${part}', ${local})`
}

/** `datePart` (`groups/date-part.ts`) of such a beginning. */
export function partTextSql(value: string, part: DatePart): string {
  return `to_char(${value}, '${formats[part]}')`
}

const formats = {
  year: 'YYYY',
  quarter: 'YYYY-"Q"Q',
  month: 'YYYY-MM',
  week: 'IYYY-"W"IW',
  day: 'YYYY-MM-DD',
} as const satisfies Record<DatePart, string>
