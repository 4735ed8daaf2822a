import type { ScalarType } from '../../model/value-type.ts'
import type { DatePart } from '../../query/group-plan.ts'
import { textLiteral } from '../sql/text-literal.ts'

/** The SQL function that computes `localDay` (`groups/date-part.ts`). */
export const localDayFunction = 'local_day'

const isDay = '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]*'

/** `datePart` (`groups/date-part.ts`) of a text in the form that compares. */
export function datePartSql(
  value: string,
  _: ScalarType,
  part: DatePart,
  timeZone: string | undefined,
): string {
  const day =
    timeZone === undefined
      ? `substr(${value}, 1, 10)`
      : `${localDayFunction}(${value}, ${textLiteral(timeZone)})`
  return `case when ${value} glob '${isDay}' then ${partOfDaySql(day, part)} end`
}

/** The part of a day that is text. */
export function partOfDaySql(day: string, part: DatePart): string {
  switch (part) {
    case 'year':
      return `substr(${day}, 1, 4)`
    case 'quarter':
      return `(select substr(d, 1, 4) || '-Q' || ((cast(substr(d, 6, 2) as integer) + 2) / 3) from (select ${day} as d))`
    case 'month':
      return `substr(${day}, 1, 7)`
    case 'week':
      return `strftime('%G-W%V', ${day})`
    case 'day':
      return day
  }
}

const daySeconds = 86_400
/** From the beginning of the year 0, so that no number is negative: SQLite rounds towards zero. */
const secondsUntil1970 = 62_167_219_200

/** The number of the day of a date-time that SQLite reads. */
export function dayNumberSql(value: string): string {
  return `(unixepoch(${value}) + ${secondsUntil1970}) / ${daySeconds}`
}

/** The part of the day with such a number; a value that is none is the part already. */
export function partOfDayNumberSql(value: string, part: DatePart): string {
  const day = `date(${value} * ${daySeconds} - ${secondsUntil1970}, 'unixepoch')`
  return `iif(typeof(${value}) = 'integer', ${partOfDaySql(day, part)}, ${value})`
}
