import type { Statement } from '../../sql/statement-cache.ts'
import type { SqlSession, StatementResult } from '../../tables/sql-database.ts'
import type { Connection } from '../connection.ts'
import { queryRows, runStatement } from '../run-statement.ts'
import { toStoreError } from '../sqlite-error.ts'
import { refuseUnstorableTexts } from './violation.ts'

/** Statements on one connection, in the transaction that it has. */
export function sessionOf(writer: Connection): SqlSession {
  const run: SqlSession['run'] = async (statements) => {
    try {
      return executeAll(writer, statements)
    } catch (error) {
      throw toStoreError(error)
    }
  }
  return {
    run,
    runLast: run,
    async attempt(statements) {
      try {
        // SQLite undoes a single statement by itself.
        return statements.filter(isWrite).length > 1
          ? inSavepoint(writer, () => executeAll(writer, statements))
          : executeAll(writer, statements)
      } catch (error) {
        throw toStoreError(error)
      }
    },
  }
}

export function executeAll(
  connection: Connection,
  statements: readonly Statement[],
): readonly StatementResult[] {
  return statements.map((statement) => execute(connection, statement))
}

function inSavepoint<T>(writer: Connection, work: () => T): T {
  writer.prepare('savepoint attempt').run([])
  try {
    const result = work()
    writer.prepare('release attempt').run([])
    return result
  } catch (error) {
    // After some errors SQLite rolls back the whole transaction by itself.
    if (writer.isInTransaction) {
      writer.prepare('rollback to attempt').run([])
      writer.prepare('release attempt').run([])
    }
    throw error
  }
}

function isWrite({ sql }: Statement): boolean {
  return !sql.startsWith('select')
}

function execute(connection: Connection, statement: Statement): StatementResult {
  refuseUnstorableTexts(statement.parameters)
  if (isWrite(statement)) return { rows: [], count: runStatement(connection, statement) }
  const rows = queryRows(connection, statement)
  return { rows, count: rows.length }
}
