import type { ModelDescription } from '../../model/model-description.ts'
import type { PageRange } from '../../query/query-plan.ts'
import { maxCheapRows } from '../sql/access-path.ts'
import type { Caller } from '../store.ts'
import type { Connection } from './connection.ts'
import { type ListQuery, trialScanRows } from './list-query.ts'
import type { Row } from './rows.ts'
import { queryCount, queryRows } from './run-statement.ts'
import type { ScanOffload } from './scan-offload.ts'
import type { SqlQuery } from './sql-query.ts'
import type { Statement } from './statement-cache.ts'

/** The statements that read a page, and how many items their rows hold. */
export interface PageStatements {
  full(): Statement
  trial(): Statement
  countItems(rows: readonly Row[]): number
}

/** Reads small pages, on the main thread or in a worker. */
export interface PageReader {
  /** Does the index lookup of the query find few rows? */
  readsFewRows(query: SqlQuery): boolean
  /** @throws TooManyBytes where the texts of the page come to more than `maxBytes` */
  rows(
    model: ModelDescription,
    query: ListQuery,
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

  const readsFewRows = (query: SqlQuery): boolean =>
    query.kind === 'indexLookup' &&
    (query.maxRows <= maxCheapRows ||
      queryCount(connection, query.probe(maxCheapRows)) <= maxCheapRows)

  /** The page, if a trial scan fills it or reaches the end of the index; else undefined. */
  const readByTrialScan = async (
    query: ListQuery,
    { limit }: PageRange,
    { trial, countItems }: PageStatements,
    caller: Caller | undefined,
    maxBytes: number,
  ): Promise<Row[] | undefined> => {
    const { trialScan } = query
    if (!trialScan.isPossible || limit > maxCheapRows) return undefined
    const rows = await read(trial(), caller, maxBytes)
    trialScan.hasSufficed =
      countItems(rows) === limit || queryCount(connection, query.trialScanCount()) < trialScanRows
    return trialScan.hasSufficed ? rows : undefined
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
      if (query.kind === 'indexScan') return readOnMainThread(statements.full(), maxBytes)
      if (!offload?.isLarge(model)) return read(statements.full(), caller, maxBytes)
      // The probe comes first where the last trial scan of the shape did not suffice.
      const tryScanFirst = query.trialScan.hasSufficed
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
