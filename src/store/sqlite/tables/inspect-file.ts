import { existsSync } from 'node:fs'
import type { Statement } from '../../sql/statement-cache.ts'
import type { SqlSession, StatementResult } from '../../tables/sql-database.ts'
import { refuseLayout } from '../file-layout.ts'
import { openExistingFile } from '../open-database-file.ts'
import { sessionOf } from './session.ts'

/**
 * Runs a function that only reads. The file stays as it is; a missing one is not created.
 * @param refused the layout that it must not have
 */
export async function inspectFile<T>(
  file: string,
  refused: 'documents' | 'tables',
  work: (session: SqlSession) => Promise<T>,
): Promise<T> {
  if (!existsSync(file)) return work(emptyDatabase)
  return openExistingFile(file, (connection) => {
    refuseLayout(connection, refused, file)
    return work(sessionOf(connection))
  })
}

/** A file that does not exist has no tables. */
const emptyDatabase: SqlSession = { run: readNothing, attempt: readNothing, runLast: readNothing }

async function readNothing(statements: readonly Statement[]): Promise<readonly StatementResult[]> {
  return statements.map(() => ({ rows: [], count: 0 }))
}
