import type { ModelDescription } from '../../model/model-description.ts'
import type { StatementRunner } from '../reader/read-context.ts'
import type { DocumentQueries } from '../sql/document-queries.ts'
import type { Row } from '../sql/rows.ts'
import type { SqlQuery } from '../sql/sql-query.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { AccessPath } from './access-path.ts'
import type { Connection } from './connection.ts'
import type { ScanOffload } from './scan-offload.ts'
import type { ScanPool } from './scan-pool.ts'

/** What reads of documents need. */
export interface DocumentReadContext {
  readonly connection: Connection
  readonly queries: DocumentQueries<AccessPath>
  /** Is the table too large to try a full scan on the main thread? */
  isLarge(model: ModelDescription): boolean
  /**
   * Runs long statements. Inside a transaction there is none, because only its own connection sees
   * its changes.
   */
  readonly offload?: ScanOffload | undefined
}

/** Runs statements of documents on the main thread or in a worker. */
export interface DocumentRunner extends StatementRunner<AccessPath> {
  /** Does the index of the query find few rows? Counts them where the table is large only. */
  readsFewRows(model: ModelDescription, query: SqlQuery<AccessPath>): boolean
  /** The rows of a statement for which an index has few. */
  indexedRows(statement: Statement, maxBytes: number): Row[]
}

/** The pool for a query that has to scan a large table; undefined where the query needs none. */
export function scanPoolFor(
  { offload, isLarge }: Pick<DocumentReadContext, 'offload' | 'isLarge'>,
  model: ModelDescription,
  query: SqlQuery<AccessPath>,
): ScanPool | undefined {
  return query.strategy.name === 'indexScan' || !isLarge(model) ? undefined : offload?.scanPool
}
