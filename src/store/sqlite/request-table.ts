import {
  type RequestRecordStatements,
  requestRecordStatements,
} from '../sql/request-record-statements.ts'
import type { Connection } from './connection.ts'
import { quoteIdentifier, sqliteDialect } from './dialect.ts'
import { hasColumn, hasTable } from './has-table.ts'

const tableName = '_requests'

/** The statements about the request records in a file of documents. */
export const requestStatements: RequestRecordStatements = requestRecordStatements(
  sqliteDialect,
  quoteIdentifier(tableName),
  quoteIdentifier('_requests by expires_at'),
  quoteIdentifier('_requests by client'),
)

/** The statements that create the table, or complete that of an earlier build. */
export function missingRequestTable(connection: Connection): readonly string[] {
  if (!hasTable(connection, tableName)) return requestStatements.createTable
  return hasColumn(connection, tableName, 'client') ? [] : requestStatements.addClients
}
