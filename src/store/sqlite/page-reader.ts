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

/**
 * The statements that answer a question about a window, and how many items the rows hold that they
 * give.
 */
export interface PageStatements {
  full(): Statement
  trial(): Statement
  countItems(rows: readonly Row[]): number
}

/** Reads windows of few items, wherever each is best read. */
export interface PageReader {
  /** Are there few rows to look at, whatever the window? */
  looksAtFewRows(question: SqlQuery): boolean
  /** @throws TooManyBytes where the texts of the window come to more than `maxBytes` */
  rows(
    model: ModelDescription,
    question: ListQuery,
    window: PageRange,
    statements: PageStatements,
    caller: Caller | undefined,
    maxBytes?: number,
  ): Promise<Row[]>
}

/** @param elsewhere where long work goes; without, all is done here */
export function pageReader(connection: Connection, elsewhere: ScanOffload | undefined): PageReader {
  const all = (statement: Statement, maxBytes: number): Row[] =>
    connection.withByteLimit(maxBytes, () => queryRows(connection, statement))

  const looked = (
    statement: Statement,
    caller: Caller | undefined,
    maxBytes: number,
  ): Row[] | Promise<Row[]> =>
    elsewhere ? elsewhere.rows(connection, statement, caller, maxBytes) : all(statement, maxBytes)

  const isFew = (question: SqlQuery): boolean =>
    question.kind === 'gather' &&
    (question.maxRows <= maxCheapRows ||
      queryCount(connection, question.probe(maxCheapRows)) <= maxCheapRows)

  /**
   * The window, where the first rows along an index fill it or are all there are; undefined where
   * more would have to be looked at.
   */
  const strolled = async (
    question: ListQuery,
    { limit }: PageRange,
    { trial, countItems }: PageStatements,
    caller: Caller | undefined,
    maxBytes: number,
  ): Promise<Row[] | undefined> => {
    const { trialScan } = question
    if (!trialScan.isPossible || limit > maxCheapRows) return undefined
    const rows = await looked(trial(), caller, maxBytes)
    trialScan.hasSufficed =
      countItems(rows) === limit ||
      queryCount(connection, question.trialScanCount()) < trialScanRows
    return trialScan.hasSufficed ? rows : undefined
  }

  return {
    looksAtFewRows: isFew,
    rows: async (
      model,
      question,
      window,
      statements,
      caller,
      maxBytes = Number.POSITIVE_INFINITY,
    ) => {
      if (question.kind === 'walk') return all(statements.full(), maxBytes)
      if (!elsewhere?.isLarge(model)) return looked(statements.full(), caller, maxBytes)
      const first = question.trialScan.hasSufficed
      const rows = first
        ? await strolled(question, window, statements, caller, maxBytes)
        : undefined
      if (rows) return rows
      if (isFew(question)) return looked(statements.full(), caller, maxBytes)
      const late = first
        ? undefined
        : await strolled(question, window, statements, caller, maxBytes)
      return late ?? elsewhere.scanPool.rows(statements.full(), caller, maxBytes)
    },
  }
}
