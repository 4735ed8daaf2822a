import { reverseDigits } from '../../query/decimal.ts'

/**
 * `toDecimalKey` (`query/decimal.ts`) as a deterministic SQL expression, which generated columns
 * need.
 */
export function decimalSql(value: string): string {
  const isDecimal = [
    `${value} not glob '*[^-0-9.]*'`,
    `(${value} glob '[0-9]*' or ${value} glob '-[0-9]*')`,
    `${value} not glob '?*-*'`,
    `${value} not glob '*.*.*'`,
    `${value} not glob '*.'`,
    `${value} not glob '0[0-9]*'`,
    `${value} not glob '-0[0-9]*'`,
  ].join(' and ')
  const unsigned = `ltrim(${value}, '-')`
  const wholeLength = `(instr(${unsigned} || '.', '.') - 1)`
  const withoutZeros = `iif(instr(${unsigned}, '.'), rtrim(${unsigned}, '0'), ${unsigned})`
  const digits = `(printf('%04d', ${wholeLength}) || replace(${withoutZeros}, '.', ''))`
  const reversed = Array.from(reverseDigits).reduce(
    (text, letter, digit) => `replace(${text}, '${digit}', '${letter}')`,
    digits,
  )
  return (
    `(case when typeof(${value}) <> 'text' or not (${isDecimal}) then ${value} ` +
    `when trim(${value}, '-0.') = '' then 'p00010' ` +
    `when ${value} glob '-*' then 'n' || ${reversed} || '~' else 'p' || ${digits} end)`
  )
}
