/** Spreadsheets run a text that begins so as a formula. */
const formula = /^'*[=+\-@\t\r]/
const needsQuotes = /[",\r\n]|^\s|\s$/

/**
 * The cells of one row of comma-separated values (RFC 4180 §2), without its line break. Null and
 * undefined are empty cells, and an empty text is `""`. A text that a spreadsheet would run as a
 * formula gets an apostrophe before it, as in spreadsheets; `csvText` takes it away again. Values
 * that are neither text, number nor boolean are JSON.
 *
 * ```ts
 * csvRow(['Dune', 9.5, null, '=1+1', ['a']]) // Dune,9.5,,'=1+1,"[""a""]"
 * ```
 */
export function csvRow(values: readonly unknown[]): string {
  let row = ''
  let comma = ''
  for (const value of values) {
    row += comma + csvCell(value)
    comma = ','
  }
  return row
}

/** The text that a cell of `csvRow` was written from. */
export function csvText(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
}

function csvCell(value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return quoted(JSON.stringify(value))
  if (value === '') return '""'
  const text = formula.test(value) ? `'${value}` : value
  return needsQuotes.test(text) ? quoted(text) : text
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
