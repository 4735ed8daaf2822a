import type { StoreCall } from '../../store-call.ts'
import type { SqlDatabase, SqlSession } from '../../tables/sql-database.ts'
import { sqliteChangeSignal } from '../change-signal.ts'
import { lazyConnection } from '../lazy-connection.ts'
import { openDatabaseFile } from '../open-database-file.ts'
import { closeFile, type FileOptions, fileDatabase, type OpenFile, openFile } from '../open-file.ts'
import { sqliteVersion } from '../sqlite-version.ts'
import { indexWords } from '../words/index-words.ts'
import { sqliteEngine } from './engine.ts'
import { inspectFile } from './inspect-file.ts'
import { sessionOf } from './session.ts'
import { violationOf } from './violation.ts'

/**
 * Runs the statements of ordinary tables on one writing and one reading connection. Transactions
 * that wait for each other share a commit; long reads go to the scan threads.
 */
export function sqliteDatabase(file: string, options: Omit<FileOptions, 'layout'>): SqlDatabase {
  const { current, whenOpen, close } = lazyConnection(
    'The store',
    () =>
      openDatabaseFile(file, async (factory) =>
        openFile(file, factory, { ...options, layout: 'tables' }),
      ),
    (opened) => closeFile(file, opened),
  )
  const transaction: SqlDatabase['transaction'] = (work, call) =>
    whenOpen((opened) => runTransaction(opened, work, call))
  return {
    read: fileDatabase(whenOpen).read,
    transaction,
    // A statement that writes has no time limit.
    longTransaction: transaction,
    indexWords: (tables, nameOf) =>
      whenOpen((opened) => indexWords(opened, sqliteEngine.dialect, tables, nameOf)),
    inspect: (work) => inspectFile(file, 'documents', work),
    changeSignal: () => sqliteChangeSignal(() => current()?.reader),
    describe: () => {
      const opened = current()
      return opened && { engine: sqliteVersion(opened.reader), format: 'tables' }
    },
    close,
  }
}

/**
 * A deferred foreign key is checked by the commit, which then fails for all transactions of a
 * group: each of them runs again, in a group of its own.
 */
async function runTransaction<T>(
  { commits, writer }: OpenFile,
  work: (session: SqlSession) => Promise<T>,
  call: StoreCall | undefined,
): Promise<T> {
  let hasWorked = false
  const run = async (): Promise<T> => {
    hasWorked = false
    const result = await work(sessionOf(writer))
    hasWorked = true
    return result
  }
  try {
    return await commits.run(run, call)
  } catch (error) {
    if (!hasWorked || violationOf(error)?.kind !== 'foreignKey') throw error
    return commits.runAlone(run, call)
  }
}
