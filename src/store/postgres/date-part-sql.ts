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
  return `date_trunc('${part}', ${localSql(value, type, timeZone)})`
}

/**
 * Only a time zone leads beyond the years of the values; the last day stands for what is later.
 * `least` ignores nulls, and few instants need it.
 */
function localSql(value: string, type: ScalarType, timeZone: string | undefined): string {
  if (isDay(type)) return `${value}::date::timestamp`
  if (timeZone === undefined) return `(${value} at time zone 'UTC')`
  const local = `(${value} at time zone ${textLiteral(timeZone)})`
  return `case when ${value} >= '9999-12-30 00:00:00Z' then least(${local}, '9999-12-31') else ${local} end`
}

/**
 * `datePart` (`groups/date-part.ts`) of such a beginning. The year before 1 is 0, which `to_char`
 * calls 1 as well.
 */
export function partTextSql(value: string, part: DatePart): string {
  const text = `to_char(${value}, '${formats[part]}')`
  return `case when ${value} < '0001-01-01' then overlay(${text} placing '0000' from 1) else ${text} end`
}

const formats = {
  year: 'YYYY',
  quarter: 'YYYY-"Q"Q',
  month: 'YYYY-MM',
  week: 'IYYY-"W"IW',
  day: 'YYYY-MM-DD',
} as const satisfies Record<DatePart, string>
