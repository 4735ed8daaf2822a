/** A cell of comma-separated values, without its quotes. */
export interface CsvCell {
  readonly text: string
  /** An empty text is quoted, and no value is not. */
  readonly isQuoted: boolean
}

/** The cells of a record (RFC 4180 §2), or what is wrong with it as a sentence. */
export type CsvRecord =
  | { readonly kind: 'cells'; readonly cells: readonly CsvCell[] }
  | { readonly kind: 'malformed'; readonly reason: string }

/**
 * Reads the first cells of a record without its line break.
 *
 * ```ts
 * readCsvRecord('dune,"a ""b""",5', 2) // cells: dune, a "b"
 * ```
 */
export function readCsvRecord(record: string, maxCells: number): CsvRecord {
  const cells: CsvCell[] = []
  let at = 0
  for (;;) {
    const isQuoted = record[at] === '"'
    const end = isQuoted ? endOfQuoted(record, at) : endOfPlain(record, at)
    const name = `Cell ${cells.length + 1}`
    if (end < 0) return malformed(`${name} begins with a quote, and no quote ends it.`)
    if (isQuoted) {
      if (end < record.length && record[end] !== ',')
        return malformed(`${name} has text after the quote that ends it.`)
      cells.push({ text: record.slice(at + 1, end - 1).replaceAll('""', '"'), isQuoted })
    } else {
      const text = record.slice(at, end)
      if (text.includes('"'))
        return malformed(`${name} has a quote, but does not begin with one. Quote the whole cell.`)
      cells.push({ text, isQuoted })
    }
    if (end >= record.length || cells.length >= maxCells) return { kind: 'cells', cells }
    at = end + 1
  }
}

/** The index after the quote that ends the cell; -1 if none does. */
function endOfQuoted(record: string, start: number): number {
  for (let at = record.indexOf('"', start + 1); at >= 0; at = record.indexOf('"', at + 2))
    if (record[at + 1] !== '"') return at + 1
  return -1
}

function endOfPlain(record: string, start: number): number {
  const end = record.indexOf(',', start)
  return end < 0 ? record.length : end
}

function malformed(reason: string): CsvRecord {
  return { kind: 'malformed', reason }
}
