import type { ScanOrder } from '../sql/table.ts'

/** Rows between two interrupt checks: some milliseconds where a row takes a microsecond. */
const rangeRows = 4_096
/** Numbers are dense where so many rows have numbers of a range of eight times that length. */
const probedRows = 64

/**
 * The rows of a whole table, in ranges of its order, with an interrupt check between two ranges. To
 * check each row takes as long as to add it up.
 */
export function scanRangesSql(
  check: string,
  table: string,
  alias: string,
  { sql: column, kind }: ScanOrder,
): string {
  const rowFrom = (start: string, offset: number) =>
    `(select n.${column} from ${table} n where n.${column} >= ${start} order by n.${column} limit 1 offset ${offset})`
  // A range of numbers has at most as many rows as numbers, so nobody has to count those of dense
  // ones.
  const endOf = (start: string) =>
    kind === 'number'
      ? `case when ${rowFrom(start, probedRows - 1)} - ${start} < ${8 * probedRows} then ${start} + ${rangeRows} else ${rowFrom(start, rangeRows)} end`
      : rowFrom(start, rangeRows)
  const ranges =
    `with recursive s(s, e) as (select f.s, ${endOf('f.s')} from (select min(n.${column}) as s from ${table} n) f ` +
    `union all select s.e, ${endOf('s.e')} from s where s.e is not null and ${check})`
  // The last range has no end. Texts sort before BLOBs.
  const isWithin =
    kind === 'number'
      ? `between s.s and ifnull(s.e - 1, 9223372036854775807)`
      : `>= s.s and ${alias}.${column} < ifnull(s.e, x'')`
  return `(${ranges} select s.s, s.e from s) s cross join ${table} ${alias} on ${alias}.${column} ${isWithin}`
}
