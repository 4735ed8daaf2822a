import type {
  ClientUsage,
  RecordShare,
  RecordUsage,
  RequestRecordWriter,
} from '../request-records.ts'
import {
  readClientUsage,
  readUsage,
  requestRecordStatements,
} from '../sql/request-record-statements.ts'
import type { Connection } from './connection.ts'
import { quoteIdentifier, sqliteDialect } from './dialect.ts'
import { hasColumn, hasTable } from './has-table.ts'
import { queryFirstRow, runStatement } from './run-statement.ts'
import type { UndoLog } from './undo-log.ts'

const tableName = '_requests'

const statements = requestRecordStatements(
  sqliteDialect,
  quoteIdentifier(tableName),
  quoteIdentifier('_requests by expires_at'),
  quoteIdentifier('_requests by client'),
)

/** The statements that create the table, or complete that of an earlier build. */
export function missingRequestTable(connection: Connection): readonly string[] {
  if (!hasTable(connection, tableName)) return statements.createTable
  return hasColumn(connection, tableName, 'client') ? [] : statements.addClients
}

export function findRequestRecord(
  connection: Connection,
  key: string,
  nowMs: number,
): string | undefined {
  return queryFirstRow(connection, statements.find(key, nowMs))?.[0] as string | undefined
}

export function requestRecordUsage(connection: Connection): RecordUsage {
  return readUsage(queryFirstRow(connection, statements.usage)!)
}

export function requestRecordUsageOf(
  connection: Connection,
  client: string,
  share: RecordShare,
  nowMs: number,
): ClientUsage {
  return readClientUsage(queryFirstRow(connection, statements.usageOf(client, share, nowMs))!)
}

export function removeExpiredRecords(connection: Connection, nowMs: number, limit: number): number {
  return runStatement(connection, statements.removeExpired(nowMs, limit))
}

/**
 * The records of one transaction. One writes at a time, in all processes, so that nobody has to
 * wait for a key.
 * @param run runs a write as one of the transaction
 */
export function requestRecordWriter(
  connection: Connection,
  run: <T>(write: () => T) => Promise<T>,
  log: UndoLog | undefined,
): RequestRecordWriter {
  return {
    reserve: (key, client, times) =>
      run(() => {
        const result = findRequestRecord(connection, key, times.nowMs)
        if (result !== undefined) return result
        log?.beforeChange()
        runStatement(connection, statements.reserve(key, client, times))
        // What it replaces has expired.
        log?.add(() => runStatement(connection, statements.release(key)))
        return undefined
      }),
    async write(key, result) {
      await run(() => runStatement(connection, statements.write(key, result)))
    },
    async release(key) {
      await run(() => runStatement(connection, statements.release(key)))
    },
  }
}
