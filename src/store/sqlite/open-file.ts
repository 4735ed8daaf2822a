import { gauges, listenTo, scansQueue, writesQueue } from '../../telemetry/channels.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import type { SqlDatabase, StatementResult } from '../tables/sql-database.ts'
import type { Connection } from './connection.ts'
import {
  autoCheckpointPragma,
  readerCachePragma,
  walSizeLimitPragma,
  writerCachePragma,
} from './connection-settings.ts'
import { interruptCheckFunction } from './dialect.ts'
import { type FileLayout, refuseLayout } from './file-layout.ts'
import { type GroupCommit, type GroupCommitOptions, groupCommit } from './group-commit.ts'
import { largeCommits } from './large-commits.ts'
import type { LazyConnection } from './lazy-connection.ts'
import { type ConnectionFactory, closeDatabaseFile } from './open-database-file.ts'
import { queryRows } from './run-statement.ts'
import type { ScanLimits } from './scan-limits.ts'
import { type ScanOffload, scanOffload } from './scan-offload.ts'
import { scanPool } from './scan-pool.ts'
import { toStoreError } from './sqlite-error.ts'
import { sessionOf } from './tables/session.ts'
import { canIndexWords, type WordsIndexes, wordsIndexes } from './words/words-indexes.ts'

/** One writing and one reading connection to a file, and what runs long statements. */
export interface OpenFile {
  readonly writer: Connection
  readonly reader: Connection
  /** Transactions that wait for each other share a commit. */
  readonly commits: GroupCommit
  readonly offload: ScanOffload
  /** Undefined where the driver has no full-text search. */
  readonly words: WordsIndexes | undefined
  /** Ends what tells metrics of the file. */
  stopMeasuring(): void
}

export interface FileOptions {
  readonly durability: 'full' | 'normal'
  readonly limits: ScanLimits
  readonly layout: FileLayout
}

/** @param groupOptions what else the commits of the writing connection need */
export function openFile(
  file: string,
  factory: ConnectionFactory,
  { durability, limits, layout }: FileOptions,
  groupOptions?: (writer: Connection) => Pick<GroupCommitOptions, 'onBegin'>,
): OpenFile {
  const writer = factory.openWriter(
    durability,
    'foreign_keys = on',
    autoCheckpointPragma,
    writerCachePragma,
    walSizeLimitPragma,
  )
  refuseLayout(writer, layout === 'tables' ? 'documents' : 'tables', file)
  const words = canIndexWords(writer) ? wordsIndexes(writer, () => commits) : undefined
  const commits = groupCommit(writer, {
    large: largeCommits(file, factory.driverSpecifier, writer),
    ...(words && { beforeCommit: words.beforeCommit }),
    ...groupOptions?.(writer),
  })
  const scans = scanPool(file, factory, limits)
  return {
    writer,
    reader: factory.openReader(readerCachePragma),
    commits,
    words,
    offload: scanOffload(scans),
    stopMeasuring: listenTo(gauges, (reader) => {
      reader.read('queue', commits.waitingCount(), writesQueue)
      reader.read('queue', scans.waitingCount(), scansQueue)
    }),
  }
}

export async function closeFile(
  file: string,
  { commits, offload, reader, words, writer, stopMeasuring }: OpenFile,
): Promise<void> {
  stopMeasuring()
  await words?.stop()
  await commits.idle()
  await offload.scanPool.close()
  await closeDatabaseFile(file, [reader], [writer])
}

/** Runs statements and transactions of one file. */
export function fileDatabase(
  whenOpen: LazyConnection<OpenFile>['whenOpen'],
): Pick<SqlDatabase, 'read' | 'transaction'> {
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
    transaction: (work, call) =>
      whenOpen(({ commits, writer }) => commits.run(() => work(sessionOf(writer)), call)),
  }
}

/** A statement that may read many rows has calls of a function that ends it. */
async function readRows(
  { reader, offload }: OpenFile,
  statement: Statement,
  call: StoreCall | undefined,
): Promise<StatementResult> {
  const rows = statement.sql.includes(interruptCheckFunction)
    ? await offload.rows(reader, statement, call, statement.maxBytes)
    : queryRows(reader, statement)
  return { rows, count: rows.length }
}
