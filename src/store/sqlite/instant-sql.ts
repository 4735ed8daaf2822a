/**
 * `instantKey` (`query/instant.ts`) as a deterministic SQL expression, which generated columns
 * need. Fractions of seconds are handled apart, because SQLite keeps milliseconds only.
 */
export function instantSql(value: string): string {
  const fraction = (start: number, end: string) =>
    `rtrim(rtrim(substr(${value}, ${start}, ${end}), '0'), '.')`
  const zone = `case when ${value} glob '*[+-][0-9][0-9]:[0-9][0-9]' then substr(${value}, -6) when ${value} glob '*Z' then 'Z' else '' end`
  // The text between the minutes and the zone: empty, seconds, or seconds with a fraction.
  const length = `length(${value}) - 16 - length(${zone})`
  const seconds = `substr(${value}, 17, ${length})`
  const isDateTime =
    `${value} glob '${minutesPattern}*' and ` +
    `(${seconds} = '' or ${seconds} glob ':[0-9][0-9]' or (${seconds} glob ':[0-9][0-9].[0-9]*' and substr(${seconds}, 5) not glob '*[^0-9]*'))`
  // The modifier makes SQLite move days beyond the end of a month into the next month.
  const utc = `strftime('%Y-%m-%dT%H:%M:%S', substr(${value}, 1, 16) || substr(${seconds}, 1, 3) || ${zone}, '+0 seconds')`
  return (
    `(case when ${isCommonFormSql(value)} then substr(${value}, 1, 19) || ${fraction(20, `length(${value}) - 20`)} ` +
    `when ${isDateTime} and ${utc} glob '[0-9]*' then ${utc} || ${fraction(20, `max(0, ${length} - 3)`)} else ${value} end)`
  )
}

const minutesPattern = '[0-9][0-9][0-9][0-9]-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]'

/**
 * UTC with seconds, with or without milliseconds, on a day that every month has: needs no date
 * arithmetic, at a tenth of the cost.
 */
function isCommonFormSql(value: string): string {
  const inRange = (start: number, first: string, last: string) =>
    `substr(${value}, ${start}, 2) between '${first}' and '${last}'`
  return (
    `(${value} glob '${minutesPattern}:[0-5][0-9]Z' or ${value} glob '${minutesPattern}:[0-5][0-9].[0-9][0-9][0-9]Z') and ` +
    [
      inRange(6, '01', '12'),
      inRange(9, '01', '28'),
      inRange(12, '00', '23'),
      inRange(15, '00', '59'),
    ].join(' and ')
  )
}
