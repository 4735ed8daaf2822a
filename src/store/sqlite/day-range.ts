import type { NativeForm } from '../sql/table.ts'

/**
 * The texts of date-times between two instants, by their days. The day of a text is the one in its
 * zone, at most two days before that of the instant in UTC (the hour 24, an offset of -14:59), and
 * one after it. Days beyond the end of a month move the instant by up to three days. Any other text
 * compares as it is.
 */
export const dayRange: NonNullable<NativeForm['columnRange']> = {
  from: (column, operand) =>
    rangeSql(
      column,
      // Numbers are less than all texts, which a column of texts has none of.
      `${column} >= ${dayOf(operand, '-5 days', `iif(typeof(${operand}) = 'text', '', -9e999)`)}`,
      `${column} >= ${dayOf(operand, '+0 days', "''")}`,
    ),
  until: (column, operand) =>
    rangeSql(
      column,
      `${column} < ${dayOf(operand, '+2 days', afterAll(operand))}`,
      `${column} < ${dayOf(operand, '+1 day', afterAll(operand))}`,
    ),
}

/**
 * @param range the range that an index is read by
 * @param ownRange the range of the texts whose day is that of their instant, which costs less to
 * check than to compute the instant
 */
function rangeSql(column: string, range: string, ownRange: string): string {
  return `(${range} and (${ownRange} or not ${hasDayOfInstant(column)}))`
}

/** A BLOB after all texts, and after the BLOBs that other programs write, for one of these. */
function afterAll(operand: string): string {
  return `iif(typeof(${operand}) = 'blob', x'${'ff'.repeat(64)}', x'')`
}

/** A text in UTC on a day that every month has; false for NULL. */
function hasDayOfInstant(column: string): string {
  const time = '????-??-??[T ][0-2][0-9]:[0-5][0-9]:'
  return (
    `((${column} glob '${time}*Z' or ${column} glob '${time}[0-5][0-9]') and ` +
    `substr(${column}, 9, 2) < '29' and substr(${column}, 12, 2) < '24')`
  )
}

/**
 * The beginning of the texts of a day.
 * @param otherwise a value with all texts on its side, where the operand is no date
 */
function dayOf(operand: string, moved: string, otherwise: string): string {
  // A text without hyphens would be a Julian day number.
  return `iif(${operand} glob '????-??-??*', coalesce(date(substr(${operand}, 1, 10), '${moved}'), ${otherwise}), ${otherwise})`
}
