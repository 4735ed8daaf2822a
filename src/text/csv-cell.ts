/** Spreadsheets run a text that begins so as a formula. */
const formula = /^'*[=+\-@\t\r]/
const number = /^[+-]?\d+(?:\.\d+)?$/
const needsQuotes = /[",\r\n]|^\s|\s$/

/** Whether texts are what anybody may have written, or only identifiers. */
export type TextKind = 'free' | 'identifier'

/**
 * A cell of comma-separated values (RFC 4180 §2). Null and undefined are an empty cell, and an
 * empty text is `""`. A text that a spreadsheet would run as a formula gets an apostrophe before
 * it, as in spreadsheets, unless it is a number; `csvText` takes it away again. Values that are
 * neither text, number nor boolean are JSON.
 *
 * ```ts
 * ['Dune', 9.5, null, '=1+1', ['a']].map((value) => csvCell(value)).join(',')
 * // Dune,9.5,,'=1+1,"[""a""]"
 * ```
 */
export function csvCell(value: unknown, text: TextKind = 'free'): string {
  if (value === undefined || value === null) return ''
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (typeof value !== 'string') return quoted(JSON.stringify(value))
  if (value === '') return '""'
  const isFormula = text === 'free' && formula.test(value) && !number.test(value)
  const cell = isFormula ? `'${value}` : value
  return needsQuotes.test(cell) ? quoted(cell) : cell
}

/** The text that a cell of free text was written from. */
export function csvText(cell: string): string {
  return cell.startsWith("'") && formula.test(cell) ? cell.slice(1) : cell
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
