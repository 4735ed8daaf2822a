import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { SearchQueries } from '../../sql/search-index.ts'
import type { Connection } from '../connection.ts'
import type { GroupCommit } from '../group-commit.ts'
import { hasTable } from '../has-table.ts'
import { keepsIdOrder } from './id-order.ts'
import { mayReplaceRows } from './replaced-rows.ts'
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
  numbersSql,
  statesTable,
  triggersSql,
} from './words-sql.ts'

/** How long a commit waits until changed rows are put into an index; the rest follows. */
const maxMsPerCommit = 20
/** How long a batch in the background takes. */
const msPerBatch = 25
/** Rows of a step: fewer where they take long, because no step is interrupted. */
const maxRowsPerStep = 256
const firstRowsPerStep = 8
const msPerStep = 5
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
  /** By the name of the index. */
  const rowsPerStep = new Map<string, number>()
  const stopping = new AbortController()
  const pause = (ms: number) => wait(ms, undefined, { ref: false, signal: stopping.signal })
  let filling: Promise<void> | undefined

  const exists = ({ name }: WordsIndex): boolean => hasTable(writer, name)

  const hasChanges = (index: WordsIndex): boolean =>
    writer.prepare(hasChangesSql(index)).get([])![0] === 1

  /** Puts the next changed rows into the index. */
  const fill = (index: WordsIndex): void => {
    const startedAt = performance.now()
    const rows = rowsPerStep.get(index.name) ?? firstRowsPerStep
    for (const sql of fillSql(index)) writer.prepare(sql).run([rows])
    const isShort = performance.now() - startedAt < msPerStep
    rowsPerStep.set(index.name, isShort ? Math.min(rows * 2, maxRowsPerStep) : (rows + 1) >> 1)
  }

  /** Puts changed rows into the index for so long, and returns whether there are more. */
  const fillFor = (index: WordsIndex, maxMs: number): boolean => {
    const startedAt = performance.now()
    while (hasChanges(index)) {
      if (performance.now() - startedAt > maxMs) return true
      fill(index)
    }
    return false
  }

  /** Notes the next rows that have not been indexed yet as changed. */
  const noteRows = (index: WordsIndex, filled: string): void => {
    const rows = rowsPerStep.get(index.name) ?? firstRowsPerStep
    const [end = null] = writer.prepare(endOfRowsSql(index)).get([filled, rows - 1]) ?? []
    writer.prepare(noteRowsSql(index)).run([filled, rows])
    writer.prepare(`update ${statesTable} set filled = ? where name = ?`).run([end, index.name])
  }

  /** Puts some rows into the index, and returns whether there may be more. */
  const fillBatch = (index: WordsIndex): boolean => {
    const startedAt = performance.now()
    // Another process may have dropped it.
    while (exists(index)) {
      if (fillFor(index, msPerBatch)) return true
      const { filled } = stateOf(writer, index)!
      if (filled === null) return false
      noteRows(index, filled)
      if (performance.now() - startedAt > msPerBatch) return true
    }
    return false
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
        if (!isReplaced && hasTable(writer, table) && hasTriggers(writer, name)) continue
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
        if (!exists(index)) continue
        if (fillFor(index, maxMsPerCommit)) fillInBackground()
      }
    },
    fillInBackground,
    searchIndexOf: (index, reader) => ({
      kind: 'queries',
      paths: new Set(index.paths),
      isComplete: () => stateOf(reader, index)?.filled === null,
      keepsIdOrder: keepsIdOrder(reader, index),
      ids: idsSql(index, mayReplaceRows(reader, index)),
      numbers: numbersSql(index),
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

function hasTriggers(connection: Connection, name: string): boolean {
  return connection.prepare(triggersSql(name)).get([])![0] === 1
}
