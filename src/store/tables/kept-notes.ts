import type { Dialect } from '../sql/dialect.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreNotes } from '../store-notes.ts'
import { writeEntry } from './settings-table.ts'
import type { SqlDatabase, StatementResult } from './sql-database.ts'

const keyPrefix = 'note '

/**
 * The notes of a store, among its settings.
 * @param table the quoted name of the table of settings
 * @param read must not open the store: what opening it would do can be asked before
 */
export function keptNotes(
  dialect: Dialect,
  table: string,
  database: Pick<SqlDatabase, 'transaction'>,
  read: (statements: readonly Statement[]) => Promise<readonly StatementResult[]>,
  areKept: () => boolean,
): StoreNotes {
  return {
    areKept,
    async read(name) {
      const sql = `select value from ${table} where key = ${dialect.placeholder(1)}`
      const [result] = await read([{ sql, parameters: [keyPrefix + name] }])
      const row = result!.rows[0]
      return row && String(row[0])
    },
    async write(name, text) {
      const statement = writeEntry(dialect, table, keyPrefix + name, text)
      await database.transaction((session) => session.run([statement]))
    },
  }
}
