import { setTimeout as wait } from 'node:timers/promises'
import type { SearchQueries } from '../../sql/search-index.ts'
import type { Connection } from '../connection.ts'
import type { GroupCommit } from '../group-commit.ts'
import { hasTable } from '../has-table.ts'
import type { WordsIndex } from './words-index.ts'
import {
  createSql,
  createStatesSql,
  dropSql,
  endOfRowsSql,
  fillSql,
  hasChangesSql,
  idsSql,
  noteRowsSql,
  statesTable,
} from './words-sql.ts'

/** So many changed rows are put into an index before the commit of a group; the rest follows. */
const maxRowsPerCommit = 500
const rowsPerBatch = 500
/** How long others get the file between two batches. */
const pauseMs = 20
/** After an error, such as a lock of another process. */
const retryMs = 1_000
const maxFailures = 10

/** The indexes of words in one file. */
export interface WordsIndexes {
  /** Has the file any, also of models of before? */
  hasAny(): boolean
  /**
   * Makes those that are missing, and drops others of these tables. Call it in a transaction,
   * before the indexes are read.
   * @param tables the names of the tables that the models have
   */
  prepare(indexes: readonly WordsIndex[], tables: readonly string[]): void
  /** Call it before each commit: puts into the indexes what has changed. */
  beforeCommit(): void
  /** Goes on with what is left, in batches between other transactions. */
  fillInBackground(): void
  searchIndexOf(index: WordsIndex, reader: Connection): SearchQueries
  /** Waits for the batch under way, and begins no other. */
  stop(): Promise<void>
}

export function wordsIndexes(writer: Connection, commits: () => GroupCommit): WordsIndexes {
  const indexes = new Map<string, WordsIndex>()
  const stopping = new AbortController()
  const pause = (ms: number) => wait(ms, undefined, { ref: false, signal: stopping.signal })
  let filling: Promise<void> | undefined

  const exists = ({ name }: WordsIndex): boolean => hasTable(writer, name)

  const fill = (index: WordsIndex, limit: number): void => {
    for (const sql of fillSql(index, limit)) writer.prepare(sql).run([])
  }

  const hasChanges = (index: WordsIndex): boolean =>
    writer.prepare(hasChangesSql(index)).get([])![0] === 1

  /** Puts some rows into the index, and returns whether there may be more. */
  const fillBatch = (index: WordsIndex): boolean => {
    // Another process may have dropped it.
    const state = exists(index) ? stateOf(writer, index) : undefined
    if (!state) return false
    if (state.filled !== null) {
      const [end = null] =
        writer.prepare(endOfRowsSql(index, rowsPerBatch)).get([state.filled]) ?? []
      writer.prepare(noteRowsSql(index, rowsPerBatch)).run([state.filled])
      writer.prepare(`update ${statesTable} set filled = ? where name = ?`).run([end, index.name])
    }
    fill(index, 2 * rowsPerBatch)
    return stateOf(writer, index)!.filled !== null || hasChanges(index)
  }

  const fillIndex = async (index: WordsIndex): Promise<void> => {
    for (let failures = 0; failures < maxFailures; ) {
      try {
        const hasMore = await commits().runAlone(async () => fillBatch(index))
        if (!hasMore) return
        failures = 0
        await pause(pauseMs)
      } catch {
        if (stopping.signal.aborted) return
        // What is left is found without the index, and the next start goes on.
        failures++
        await pause(retryMs).catch(() => undefined)
      }
    }
  }

  const fillAll = async (): Promise<void> => {
    for (const index of indexes.values()) if (!stopping.signal.aborted) await fillIndex(index)
    filling = undefined
  }

  const fillInBackground = (): void => {
    if (!stopping.signal.aborted) filling ??= fillAll()
  }

  return {
    hasAny: () => hasTable(writer, statesTable),
    prepare(wanted, tables) {
      writer.exec(createStatesSql)
      const names = new Set(wanted.map(({ name }) => name))
      for (const [name, table] of writer
        .prepare(`select name, "table" from ${statesTable}`)
        .all([]) as [string, string][]) {
        const isReplaced = tables.includes(table) && !names.has(name)
        if (!isReplaced && hasTable(writer, table)) continue
        for (const sql of dropSql(name)) writer.exec(sql)
        indexes.delete(name)
      }
      for (const index of wanted) {
        indexes.set(index.name, index)
        if (stateOf(writer, index)) continue
        for (const sql of createSql(index)) writer.exec(sql)
        writer
          .prepare(`insert into ${statesTable} (name, "table", paths, filled) values (?, ?, ?, '')`)
          .run([index.name, index.table, JSON.stringify(index.paths)])
        // A small table is complete at once.
        fillBatch(index)
      }
    },
    beforeCommit() {
      for (const index of indexes.values()) {
        if (!exists(index) || !hasChanges(index)) continue
        fill(index, maxRowsPerCommit)
        if (hasChanges(index)) fillInBackground()
      }
    },
    fillInBackground,
    searchIndexOf: (index, reader) => ({
      kind: 'queries',
      paths: new Set(index.paths),
      isComplete: () => stateOf(reader, index)?.filled === null,
      ids: idsSql(index),
    }),
    async stop() {
      stopping.abort()
      await filling
    },
  }
}

function stateOf(
  connection: Connection,
  { name }: WordsIndex,
): { readonly filled: string | null } | undefined {
  const row = connection.prepare(`select filled from ${statesTable} where name = ?`).get([name])
  return row && { filled: row[0] as string | null }
}

/** Has the driver the full-text search that the indexes need? */
export function canIndexWords(connection: Connection): boolean {
  return (
    connection.prepare("select 1 from pragma_module_list where name = 'fts5'").get([]) !== undefined
  )
}
