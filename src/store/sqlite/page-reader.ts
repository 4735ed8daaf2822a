import type { ModelDescription } from '../../model/model-description.ts'
import type { PageRange } from '../../query/query-plan.ts'
import type { ListQuery } from '../sql/list-query.ts'
import type { Row } from '../sql/rows.ts'
import type { SqlQuery } from '../sql/sql-query.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Caller } from '../store.ts'
import { type AccessPath, maxCheapRows } from './access-path.ts'
import type { Connection } from './connection.ts'
import { queryCount, queryRows } from './run-statement.ts'
import type { ScanOffload } from './scan-offload.ts'

/**
 * How many rows a trial scan reads on the main thread, before a worker scans the table: a few
 * milliseconds.
 */
export const trialScanRows = 2_000

/** The statements that read a page, and how many items their rows hold. */
export interface PageStatements {
  full(): Statement
  trial(): Statement
  countItems(rows: readonly Row[]): number
}

/** Reads small pages, on the main thread or in a worker. */
export interface PageReader {
  /** Does the index lookup of the query find few rows? */
  readsFewRows(query: SqlQuery<AccessPath>): boolean
  /** @throws TooManyBytes where the texts of the page come to more than `maxBytes` */
  rows(
    model: ModelDescription,
    query: ListQuery<AccessPath>,
    pageRange: PageRange,
    statements: PageStatements,
    caller: Caller | undefined,
    maxBytes?: number,
  ): Promise<Row[]>
}

/** @param offload runs long statements; without it, all run on this connection */
export function pageReader(connection: Connection, offload: ScanOffload | undefined): PageReader {
  const readOnMainThread = (statement: Statement, maxBytes: number): Row[] =>
    connection.withByteLimit(maxBytes, () => queryRows(connection, statement))

  const read = (
    statement: Statement,
    caller: Caller | undefined,
    maxBytes: number,
  ): Row[] | Promise<Row[]> =>
    offload
      ? offload.rows(connection, statement, caller, maxBytes)
      : readOnMainThread(statement, maxBytes)

  const readsFewRows = (query: SqlQuery<AccessPath>): boolean =>
    query.strategy.name === 'indexLookup' &&
    (query.strategy.maxRows <= maxCheapRows ||
      queryCount(connection, query.probe(maxCheapRows)) <= maxCheapRows)

  /** The page, if a trial scan fills it or reaches the end of the index; else undefined. */
  const readByTrialScan = async (
    query: ListQuery<AccessPath>,
    { limit }: PageRange,
    { trial, countItems }: PageStatements,
    caller: Caller | undefined,
    maxBytes: number,
  ): Promise<Row[] | undefined> => {
    const { isPossible, memory } = query.strategy.trialScan
    if (!isPossible || limit > maxCheapRows) return undefined
    const rows = await read(trial(), caller, maxBytes)
    memory.hasSufficed =
      countItems(rows) === limit ||
      queryCount(connection, query.trialScanCount(trialScanRows)) < trialScanRows
    return memory.hasSufficed ? rows : undefined
  }

  return {
    readsFewRows,
    rows: async (
      model,
      query,
      pageRange,
      statements,
      caller,
      maxBytes = Number.POSITIVE_INFINITY,
    ) => {
      if (query.strategy.name === 'indexScan') return readOnMainThread(statements.full(), maxBytes)
      if (!offload?.isLarge(model)) return read(statements.full(), caller, maxBytes)
      // The probe comes first where the last trial scan of the shape did not suffice.
      const tryScanFirst = query.strategy.trialScan.memory.hasSufficed
      const trialRows = tryScanFirst
        ? await readByTrialScan(query, pageRange, statements, caller, maxBytes)
        : undefined
      if (trialRows) return trialRows
      if (readsFewRows(query)) return read(statements.full(), caller, maxBytes)
      const lateTrialRows = tryScanFirst
        ? undefined
        : await readByTrialScan(query, pageRange, statements, caller, maxBytes)
      return lateTrialRows ?? offload.scanPool.rows(statements.full(), caller, maxBytes)
    },
  }
}
