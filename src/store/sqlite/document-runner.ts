import { lruCache } from '../../cache/lru-cache.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { PageRange } from '../../query/query-plan.ts'
import type { PageStatements } from '../reader/read-context.ts'
import { anyRows, type ListQuery, type RowSource } from '../sql/list-query.ts'
import type { Row } from '../sql/rows.ts'
import type { SqlQuery } from '../sql/sql-query.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import type { AccessPath } from './access-path.ts'
import { dataVersion } from './data-version.ts'
import {
  type DocumentReadContext,
  type DocumentRunner,
  scanPoolFor,
} from './document-read-context.ts'
import { longList } from './long-list.ts'
import { queryCount, queryRows } from './run-statement.ts'
import { maxCheapRows } from './size-class.ts'
import { toStoreError } from './sqlite-error.ts'

/**
 * How many rows a trial scan reads on the main thread, before a worker scans the table: a few
 * milliseconds.
 */
const trialScanRows = 2_000
const lookup: RowSource = Object.freeze({ kind: 'lookup' })
const trialScan: RowSource = Object.freeze({ kind: 'trialScan', maxRows: trialScanRows })

/** For how many relations the runner remembers whether each item has a related one. */
const maxRememberedChecks = 100

/** Items that lists read between two turns of the event loop. */
const batchSize = 256

/** What a check of related items returned, in one state of the file. */
interface RelatedCheck {
  readonly version: number
  readonly isComplete: boolean
}

/**
 * Runs statements over one connection. What an index bounds takes microseconds and runs at once;
 * scans of large tables run in a worker.
 */
export function documentRunner(context: DocumentReadContext): DocumentRunner {
  const { connection, isLarge, offload } = context
  /** By the statement of the check. */
  const relatedChecks = lruCache<string, RelatedCheck>(maxRememberedChecks)

  const indexedRows: DocumentRunner['indexedRows'] = (statement, maxBytes) =>
    connection.withByteLimit(maxBytes, () => queryRows(connection, statement))

  const rows = (
    statement: Statement,
    call: StoreCall | undefined,
    maxBytes: number = Number.POSITIVE_INFINITY,
  ) =>
    offload ? offload.rows(connection, statement, call, maxBytes) : indexedRows(statement, maxBytes)

  const readsFewRows = (model: ModelDescription, query: SqlQuery<AccessPath>): boolean => {
    const { strategy } = query
    switch (strategy.name) {
      case 'indexScan':
      case 'fullScan':
        return false
      case 'indexLookup':
      case 'rangeScan':
      case 'searchLookup': {
        const { cheapRows = maxCheapRows, rowCount } = strategy
        return (
          rowCount === 'few' ||
          (isLarge(model) && queryCount(connection, query.probe(cheapRows)) <= cheapRows)
        )
      }
    }
  }

  /** The page, if a trial scan fills it or reaches the end of the index; else undefined. */
  const readByTrialScan = (
    query: ListQuery<AccessPath>,
    { limit }: PageRange,
    { read, countItems }: PageStatements,
    call: StoreCall | undefined,
    maxBytes: number,
  ): Row[] | undefined | Promise<Row[] | undefined> => {
    if (!query.strategy.canTrialScan || limit > maxCheapRows) return undefined
    const ifSufficient = (page: Row[]): Row[] | undefined =>
      countItems(page) === limit ||
      queryCount(connection, query.trialScanCount(trialScanRows)) < trialScanRows
        ? page
        : undefined
    const page = rows(read(trialScan), call, maxBytes)
    return page instanceof Promise ? page.then(ifSufficient) : ifSufficient(page)
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
    const page = await rows(read({ kind: 'relatedScan' }), call, maxBytes)
    if (countItems(page) > 0) return page
    const isComplete = currentCheck?.isComplete ?? (await rows(check, call))[0]![0] === 1
    if (dataVersion(connection) !== version) return undefined
    relatedChecks.set(check.sql, { version, isComplete })
    return isComplete ? page : undefined
  }

  /** The page of a large table, from the source of rows that reads the fewest. */
  const pageOfLargeTable = async (
    query: ListQuery<AccessPath>,
    pageRange: PageRange,
    statements: PageStatements,
    call: StoreCall | undefined,
    maxBytes: number,
  ): Promise<Row[]> => {
    const trialPage = () => readByTrialScan(query, pageRange, statements, call, maxBytes)
    const isTrialFirst = offload !== undefined && query.strategy.isTrialWithinLookup
    const firstPage = isTrialFirst ? await trialPage() : undefined
    if (firstPage) return firstPage
    // The probe comes before other trials, because it costs less: it reads the index alone.
    if (readsFewRows(query.table.model, query)) return rows(statements.read(lookup), call, maxBytes)
    const { looksUpMany, looksUpAfterTrial } = query.strategy
    if (!offload) return rows(statements.read(looksUpMany ? lookup : anyRows), call, maxBytes)
    const sortedRows =
      (await readByRelatedScan(query, statements, call, maxBytes)) ??
      (isTrialFirst ? undefined : await trialPage())
    const source = looksUpMany || looksUpAfterTrial ? lookup : anyRows
    return sortedRows ?? offload.scanPool.rows(statements.read(source), call, maxBytes)
  }

  const runner: DocumentRunner = {
    batchSize,
    // Bytes are counted.
    firstBatchSize: batchSize,
    firstRow: ({ sql, parameters }) => connection.prepare(sql).get(parameters),
    rows,
    indexedRows,
    readsFewRows,
    batchRows: ({ strategy }, statement, call, maxBytes) =>
      strategy.name === 'indexScan'
        ? indexedRows(statement, maxBytes)
        : rows(statement, call, maxBytes),

    pageRows(query, pageRange, statements, call, maxBytes = Number.POSITIVE_INFINITY) {
      if (query.strategy.name === 'indexScan')
        return indexedRows(statements.read(anyRows), maxBytes)
      return isLarge(query.table.model)
        ? pageOfLargeTable(query, pageRange, statements, call, maxBytes)
        : rows(statements.read(anyRows), call, maxBytes)
    },

    scanRows(model, query, statement, call) {
      const pool = readsFewRows(model, query) ? undefined : scanPoolFor(context, model, query)
      return (pool?.rows ?? rows)(statement, call)
    },

    relatedRows(relatedModel, query, ownerCount, { pageRange: { limit, offset } }) {
      if (!offload || !isLarge(relatedModel)) return rows
      const isFew =
        (query.isIndexScan() && ownerCount * (limit + offset) <= maxCheapRows) ||
        queryCount(connection, query.probe(maxCheapRows)) <= maxCheapRows
      return isFew ? rows : offload.scanPool.rows
    },

    longList: (readContext, model, plan, query, call) =>
      longList(context, runner, readContext, { model, plan, query, call }),

    errorOf: toStoreError,
  }
  return runner
}
