import { type ChangeLogStatements, changeLogStatements } from '../sql/change-log-statements.ts'
import { sqliteChangeOrder } from './change-order.ts'
import type { Connection } from './connection.ts'
import { quoteIdentifier, sqliteDialect } from './dialect.ts'
import { hasTable } from './has-table.ts'

const tableName = '_changes'

/** What the log has lost, and its name. */
export const changeStateTable = '_changes_state'

/** The statements about the log of changes in a file of documents. */
export const changeStatements: ChangeLogStatements = changeLogStatements(
  sqliteDialect,
  sqliteChangeOrder,
  quoteIdentifier(tableName),
  quoteIdentifier(changeStateTable),
)

/** The statements that create its tables. */
export function missingChangeTables(connection: Connection): readonly string[] {
  return hasTable(connection, tableName) ? [] : changeStatements.createTables
}
