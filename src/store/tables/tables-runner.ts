import type { PageRange, QueryPlan } from '../../query/query-plan.ts'
import { candidateCount } from '../reader/candidate-count.ts'
import type { PageStatements, Rows, StatementRunner } from '../reader/read-context.ts'
import { anyRows, type ListQuery, type RowSource } from '../sql/list-query.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import { InvalidPosition } from '../store-failures.ts'
import type { Engine } from './engine.ts'
import type { SqlDatabase } from './sql-database.ts'

/** So many rows of an index of words are sorted, rather than read in the order of a list. */
const fewRows = 1_000
/** Where an engine knows the usual words, only rows of the others are counted. */
const fewRowsOfUnusualWords = 10_000

/**
 * How many rows are read in the order of a list, to find a page of a search for a usual word: some
 * tens of milliseconds.
 */
const trialScanRows = 2_000
const maxTrialPage = 1_000

const lookupSource: RowSource = Object.freeze({ kind: 'lookup' })
const trialScan: RowSource = Object.freeze({ kind: 'trialScan', maxRows: trialScanRows })

/** Runs each statement as the database does: a server chooses by itself how it reads. */
export class TablesRunner implements StatementRunner<ReadStrategy> {
  readonly batchSize = 500
  readonly firstBatchSize = 50
  readonly #isMalformedValue: Engine['isMalformedValue']
  readonly #run: SqlDatabase['read']

  /** @param run runs statements that read, in one round trip */
  constructor({ isMalformedValue }: Engine, run: SqlDatabase['read']) {
    this.#isMalformedValue = isMalformedValue
    this.#run = run
  }

  async firstRow(statement: Statement, call: StoreCall | undefined): Promise<Row | undefined> {
    const [result] = await this.#run([statement], call)
    return result!.rows[0]
  }

  async rows(statement: Statement, call: StoreCall | undefined, maxBytes?: number): Promise<Row[]> {
    const isLimited = maxBytes !== undefined && maxBytes !== Number.POSITIVE_INFINITY
    const [result] = await this.#run([isLimited ? { ...statement, maxBytes } : statement], call)
    // Nothing else has the rows.
    return result!.rows as Row[]
  }

  batchRows(_: unknown, statement: Statement, call: StoreCall | undefined, maxBytes: number): Rows {
    return this.rows(statement, call, maxBytes)
  }

  async pageRows(
    query: ListQuery<ReadStrategy>,
    pageRange: PageRange,
    { read, countItems }: PageStatements,
    call: StoreCall | undefined,
    maxBytes?: number,
  ): Promise<Row[]> {
    const { lookup, looksUpMany, canTrialScan, looksUpAfterTrial, estimate, cheapRows } =
      query.strategy
    const rows = (source: RowSource) => this.rows(read(source), call, maxBytes)
    if (lookup?.kind !== 'search') return rows(anyRows)
    const maxCount = estimate ? fewRowsOfUnusualWords : (cheapRows ?? fewRows)
    if (looksUpMany || (await candidateCount(this, query, maxCount, call)) <= maxCount)
      return rows(lookupSource)
    if (!canTrialScan) return rows(anyRows)
    if (rowsUntilEnd(pageRange) <= maxTrialPage) {
      const page = await rows(trialScan)
      if (countItems(page) === pageRange.limit) return page
    }
    return rows(looksUpAfterTrial ? lookupSource : anyRows)
  }

  scanRows(_: unknown, __: unknown, statement: Statement, call: StoreCall | undefined): Rows {
    return this.rows(statement, call)
  }

  relatedRows(): StatementRunner<ReadStrategy>['rows'] {
    return (statement, call, maxBytes) => this.rows(statement, call, maxBytes)
  }

  /** A position may hold values that the columns cannot: it comes from a cursor of another list. */
  errorOf(error: unknown, plan?: QueryPlan): unknown {
    if (!plan || plan.pageRange.kind === 'offset' || !this.#isMalformedValue(error)) return error
    return new InvalidPosition('The position holds values that its columns cannot hold.', {
      cause: error,
    })
  }
}

/** How many rows of the list the end of a page is away from where it is read. */
function rowsUntilEnd(pageRange: PageRange): number {
  return pageRange.limit + (pageRange.kind === 'offset' ? pageRange.offset : 0)
}
