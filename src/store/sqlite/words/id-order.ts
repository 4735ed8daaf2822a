import type { Connection } from '../connection.ts'
import { quoteIdentifier } from '../dialect.ts'
import type { WordsIndex } from './words-index.ts'

/** An index keeps ids as texts. Do these sort as the ids of the table do? */
export function keepsIdOrder(connection: Connection, { table, id }: WordsIndex): boolean {
  return connection
    .prepare('select name, type from pragma_table_info(?)')
    .all([table])
    .some(
      ([name, type]) =>
        quoteIdentifier(String(name)) === id && String(type).toLowerCase() === 'text',
    )
}
