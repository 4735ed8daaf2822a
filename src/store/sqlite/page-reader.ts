import { lruCache } from '../../cache/lru-cache.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { PageRange } from '../../query/query-plan.ts'
import type { ListQuery, RowSource } from '../sql/list-query.ts'
import type { Row } from '../sql/rows.ts'
import type { SqlQuery } from '../sql/sql-query.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import { type AccessPath, maxCheapRows } from './access-path.ts'
import { dataVersion } from './data-version.ts'
import { type ReadContext, readIndexedRows, readRows } from './read-rows.ts'
import { queryCount } from './run-statement.ts'

/**
 * How many rows a trial scan reads on the main thread, before a worker scans the table: a few
 * milliseconds.
 */
const trialScanRows = 2_000

/** For how many relations the reader remembers whether each item has a related one. */
const maxRememberedChecks = 100

/** What a check of related items returned, in one state of the file. */
interface RelatedCheck {
  readonly version: number
  readonly isComplete: boolean
}

const anyRows: RowSource = { kind: 'any' }

/** The statement that reads a page, and how many items its rows hold. */
export interface PageStatements {
  read(source: RowSource): Statement
  countItems(rows: readonly Row[]): number
}

/** Reads small pages, on the main thread or in a worker. */
export interface PageReader {
  /**
   * Does the index of the query find few rows? Counts them where the table is large only.
   */
  readsFewRows(model: ModelDescription, query: SqlQuery<AccessPath>): boolean
  /** @throws TooManyBytes where the texts of the page come to more than `maxBytes` */
  rows(
    model: ModelDescription,
    query: ListQuery<AccessPath>,
    pageRange: PageRange,
    statements: PageStatements,
    call: StoreCall | undefined,
    maxBytes?: number,
  ): Promise<Row[]>
}

export function pageReader(context: ReadContext): PageReader {
  const { connection, isLarge, offload } = context
  /** By the statement of the check. */
  const relatedChecks = lruCache<string, RelatedCheck>(maxRememberedChecks)

  const readsFewRows = (model: ModelDescription, query: SqlQuery<AccessPath>): boolean => {
    const { strategy } = query
    switch (strategy.name) {
      case 'indexScan':
      case 'fullScan':
        return false
      case 'indexLookup':
      case 'rangeScan':
        return (
          strategy.rowCount === 'few' ||
          (isLarge(model) && queryCount(connection, query.probe(maxCheapRows)) <= maxCheapRows)
        )
    }
  }

  /** The page, if a trial scan fills it or reaches the end of the index; else undefined. */
  const readByTrialScan = async (
    query: ListQuery<AccessPath>,
    { limit }: PageRange,
    { read, countItems }: PageStatements,
    call: StoreCall | undefined,
    maxBytes: number,
  ): Promise<Row[] | undefined> => {
    if (!query.strategy.canTrialScan || limit > maxCheapRows) return undefined
    const rows = await readRows(
      context,
      read({ kind: 'trialScan', maxRows: trialScanRows }),
      call,
      maxBytes,
    )
    const isSufficient =
      countItems(rows) === limit ||
      queryCount(connection, query.trialScanCount(trialScanRows)) < trialScanRows
    return isSufficient ? rows : undefined
  }

  /**
   * The page, if indexes lead from related items to it, and each item has a related one. It may be
   * empty for another reason too: that it is after the last item. A check tells them apart, and is
   * not repeated before the next commit.
   */
  const readByRelatedScan = async (
    query: ListQuery<AccessPath>,
    { read, countItems }: PageStatements,
    call: StoreCall | undefined,
    maxBytes: number,
  ): Promise<Row[] | undefined> => {
    if (!query.strategy.canScanRelated) return undefined
    const check = query.eachHasRelated()
    const version = dataVersion(connection)
    const lastCheck = relatedChecks.get(check.sql)
    const currentCheck = lastCheck?.version === version ? lastCheck : undefined
    if (currentCheck?.isComplete === false) return undefined
    const rows = await readRows(context, read({ kind: 'relatedScan' }), call, maxBytes)
    if (countItems(rows) > 0) return rows
    const isComplete =
      currentCheck?.isComplete ?? (await readRows(context, check, call))[0]![0] === 1
    if (dataVersion(connection) !== version) return undefined
    relatedChecks.set(check.sql, { version, isComplete })
    return isComplete ? rows : undefined
  }

  return {
    readsFewRows,
    rows: async (
      model,
      query,
      pageRange,
      statements,
      call,
      maxBytes = Number.POSITIVE_INFINITY,
    ) => {
      if (query.strategy.name === 'indexScan')
        return readIndexedRows(context, statements.read(anyRows), maxBytes)
      if (!isLarge(model)) return readRows(context, statements.read(anyRows), call, maxBytes)
      // The probe comes first, because it costs less: it reads the index alone.
      if (readsFewRows(model, query))
        return readRows(context, statements.read({ kind: 'lookup' }), call, maxBytes)
      if (!offload) return readRows(context, statements.read(anyRows), call, maxBytes)
      const sortedRows =
        (await readByRelatedScan(query, statements, call, maxBytes)) ??
        (await readByTrialScan(query, pageRange, statements, call, maxBytes))
      return sortedRows ?? offload.scanPool.rows(statements.read(anyRows), call, maxBytes)
    },
  }
}
