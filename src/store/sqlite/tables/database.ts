import type { Statement } from '../../sql/statement-cache.ts'
import type { StoreCall } from '../../store-call.ts'
import type { SqlDatabase, SqlSession, StatementResult } from '../../tables/sql-database.ts'
import type { Connection } from '../connection.ts'
import {
  autoCheckpointPragma,
  readerCachePragma,
  walSizeLimitPragma,
  writerCachePragma,
} from '../connection-settings.ts'
import { interruptCheckFunction } from '../dialect.ts'
import { refuseLayout } from '../file-layout.ts'
import { type GroupCommit, groupCommit } from '../group-commit.ts'
import { largeCommits } from '../large-commits.ts'
import { lazyConnection } from '../lazy-connection.ts'
import { closeDatabaseFile, openDatabaseFile } from '../open-database-file.ts'
import type { ScanLimits } from '../scan-limits.ts'
import { type ScanOffload, scanOffload } from '../scan-offload.ts'
import { scanPool } from '../scan-pool.ts'
import { toStoreError } from '../sqlite-error.ts'
import { inspectFile } from './inspect-file.ts'
import { sessionOf } from './session.ts'
import { violationOf } from './violation.ts'

export interface SqliteDatabaseOptions {
  readonly durability: 'full' | 'normal'
  readonly limits: ScanLimits
}

interface OpenDatabase {
  readonly writer: Connection
  readonly reader: Connection
  readonly commits: GroupCommit
  readonly offload: ScanOffload
}

/**
 * Runs the statements of ordinary tables on one writing and one reading connection. Transactions
 * that wait for each other share a commit; long reads go to the scan threads.
 */
export function sqliteDatabase(
  file: string,
  { durability, limits }: SqliteDatabaseOptions,
): SqlDatabase {
  const connect = (): Promise<OpenDatabase> =>
    openDatabaseFile(file, async (factory) => {
      const writer = factory.openWriter(
        durability,
        'foreign_keys = on',
        autoCheckpointPragma,
        writerCachePragma,
        walSizeLimitPragma,
      )
      refuseLayout(writer, 'documents', file)
      const large = largeCommits(file, factory.driverSpecifier, writer)
      return {
        writer,
        reader: factory.openReader(readerCachePragma),
        commits: groupCommit(writer, { large }),
        offload: scanOffload(scanPool(file, factory, limits)),
      }
    })

  const disconnect = async ({ commits, offload, reader, writer }: OpenDatabase): Promise<void> => {
    await commits.idle()
    await offload.scanPool.close()
    await closeDatabaseFile(file, [reader], [writer])
  }

  const { whenOpen, close } = lazyConnection('The store', connect, disconnect)

  return {
    read: (statements, call) =>
      whenOpen(async (opened) => {
        try {
          const results: StatementResult[] = []
          for (const statement of statements) results.push(await readRows(opened, statement, call))
          return results
        } catch (error) {
          throw toStoreError(error)
        }
      }),
    transaction: (work, call) => whenOpen((opened) => runTransaction(opened, work, call)),
    // A statement that writes has no time limit.
    longTransaction: (work) => whenOpen((opened) => runTransaction(opened, work, undefined)),
    inspect: (work) => inspectFile(file, work),
    close,
  }
}

/** A statement that may read many rows has calls of a function that ends it. */
async function readRows(
  { reader, offload }: OpenDatabase,
  statement: Statement,
  call: StoreCall | undefined,
): Promise<StatementResult> {
  const { sql, parameters } = statement
  const rows = sql.includes(interruptCheckFunction)
    ? await offload.rows(reader, statement, call)
    : reader.prepare(sql).all(parameters)
  return { rows, count: rows.length }
}

/**
 * A deferred foreign key is checked by the commit, which then fails for all transactions of a
 * group: each of them runs again, in a group of its own.
 */
async function runTransaction<T>(
  { commits, writer }: OpenDatabase,
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
