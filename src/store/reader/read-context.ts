import type { ModelDescription } from '../../model/model-description.ts'
import type { OffsetPlan, PageRange, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ListQuery, RowSource } from '../sql/list-query.ts'
import type { Queries } from '../sql/queries.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { RelatedQuery } from '../sql/related-query.ts'
import type { Row } from '../sql/rows.ts'
import type { SqlQuery } from '../sql/sql-query.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'

/** What the reader of a store needs. The format of rows is that of the tables. */
export interface ReadContext<S extends ReadStrategy = ReadStrategy> {
  readonly queries: Queries<S>
  readonly runner: StatementRunner<S>
}

export type Rows = Row[] | Promise<Row[]>

/** The statement that reads a page, and how many items its rows hold. */
export interface PageStatements {
  read(source: RowSource): Statement
  countItems(rows: readonly Row[]): number
}

/**
 * How the statements of a database run: at once, in a scan thread, or on a server. What returns
 * items throws `TooManyBytes` above `maxBytes`.
 */
export interface StatementRunner<S extends ReadStrategy> {
  /** How many items a list reads at a time, at most. */
  readonly batchSize: number
  /** How many it reads first: a server sends all of them, even if they are too large. */
  readonly firstBatchSize: number
  /** The row of a statement that finds one item; undefined if there is none. */
  firstRow(
    statement: Statement,
    call: StoreCall | undefined,
  ): Row | undefined | Promise<Row | undefined>
  /** The rows of a statement that may read many. */
  rows(statement: Statement, call: StoreCall | undefined, maxBytes?: number): Rows
  /** A batch of a list that has no order but that of ids. */
  batchRows(
    query: ListQuery<S>,
    statement: Statement,
    call: StoreCall | undefined,
    maxBytes: number,
  ): Rows
  /** A page, from the source of rows that reads the fewest. */
  pageRows(
    query: ListQuery<S>,
    pageRange: PageRange,
    statements: PageStatements,
    call: StoreCall | undefined,
    maxBytes?: number,
  ): Rows
  /** The few rows of a statement that reads all that satisfy the condition of the query. */
  scanRows(
    model: ModelDescription,
    query: SqlQuery<S>,
    statement: Statement,
    call: StoreCall | undefined,
  ): Rows
  /** How the statements of pages of related items run. */
  relatedRows(
    relatedModel: ModelDescription,
    query: RelatedQuery<S>,
    ownerCount: number,
    plan: OffsetPlan,
  ): (statement: Statement, call: StoreCall | undefined, maxBytes?: number) => Rows
  /** Reads a long list as only this store can; undefined where the reader should choose. */
  longList?(
    context: ReadContext<S>,
    model: ModelDescription,
    plan: QueryPlan,
    query: ListQuery<S>,
    call: StoreCall | undefined,
  ): AsyncIterable<readonly StoredItem[]> | undefined
  /** The error that callers of the store get. */
  errorOf(error: unknown, plan?: QueryPlan): unknown
}
