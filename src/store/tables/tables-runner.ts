import type { PageRange, QueryPlan } from '../../query/query-plan.ts'
import type { PageStatements, Rows, StatementRunner } from '../reader/read-context.ts'
import { anyRows, type ListQuery } from '../sql/list-query.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import { InvalidPosition } from '../store-failures.ts'
import type { Engine } from './engine.ts'
import type { SqlDatabase } from './sql-database.ts'

/** So many rows are read and sorted, rather than all rows of the table in their order. */
const fewRows = 1_000

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
    _: PageRange,
    { read }: PageStatements,
    call: StoreCall | undefined,
    maxBytes?: number,
  ): Promise<Row[]> {
    const readsIndex =
      query.strategy.lookup?.kind === 'search' && (await this.#readsIndexOfWords(query, call))
    return this.rows(read(readsIndex ? { kind: 'lookup' } : anyRows), call, maxBytes)
  }

  /** Without statistics, only a probe says whether an index of words finds few rows. */
  async #readsIndexOfWords(
    query: ListQuery<ReadStrategy>,
    call: StoreCall | undefined,
  ): Promise<boolean> {
    if (query.strategy.looksUpMany) return true
    const [count] = (await this.firstRow(query.probe(fewRows), call)) ?? []
    return Number(count) <= fewRows
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
