import type { ColumnSchema } from '../../store/read-database.ts'

/**
 * Does the database fill the column by itself, with nothing that a client could miss? A relation
 * adds and deletes rows of its join table, and all other columns with them.
 */
export function isFilledByDatabase({ generated, default: value }: ColumnSchema): boolean {
  if (generated !== 'never' || value?.kind === 'sequence') return true
  return value !== undefined && timePattern.test(withoutTexts(value.sql))
}

/** What PostgreSQL and SQLite call the present time. */
const timePattern =
  /\b(?:now|current_(?:timestamp|date|time)|local(?:time|timestamp)|(?:clock|statement|transaction)_timestamp|(?:unixepoch|julianday|datetime|date|time) *\( *\))/i

/** Texts may have any words in them. PostgreSQL and SQLite write the time as the text 'now' too. */
function withoutTexts(sql: string): string {
  return sql.replaceAll(/'(?:[^']|'')*'/g, (text) => (text.toLowerCase() === "'now'" ? 'now' : ''))
}
