import type { ModelDescription } from '../../model/model-description.ts'
import type { Queries } from '../sql/queries.ts'
import type { Row } from '../sql/rows.ts'
import type { SqlQuery } from '../sql/sql-query.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import type { AccessPath } from './access-path.ts'
import type { Connection } from './connection.ts'
import { queryRows } from './run-statement.ts'
import type { ScanOffload } from './scan-offload.ts'
import type { ScanPool } from './scan-pool.ts'

/** What reads of a store need. */
export interface ReadContext {
  readonly connection: Connection
  readonly queries: Queries<AccessPath>
  /** Is the table too large to try a full scan on the main thread? */
  isLarge(model: ModelDescription): boolean
  /**
   * Runs long statements. Inside a transaction there is none, because only its own connection sees
   * its changes.
   */
  readonly offload?: ScanOffload | undefined
}

/**
 * Reads rows on the main thread, with a statement for which an index has few rows.
 * @throws TooManyBytes
 */
export function readIndexedRows(
  { connection }: ReadContext,
  statement: Statement,
  maxBytes: number,
): Row[] {
  return connection.withByteLimit(maxBytes, () => queryRows(connection, statement))
}

/**
 * Reads rows with a statement that may read many.
 * @throws TooManyBytes
 */
export function readRows(
  context: ReadContext,
  statement: Statement,
  call: StoreCall | undefined,
  maxBytes: number = Number.POSITIVE_INFINITY,
): Row[] | Promise<Row[]> {
  const { connection, offload } = context
  return offload
    ? offload.rows(connection, statement, call, maxBytes)
    : connection.withByteLimit(maxBytes, () => queryRows(connection, statement))
}

/** The pool for a query that has to scan a large table; undefined where the query needs none. */
export function scanPoolFor(
  { offload, isLarge }: ReadContext,
  model: ModelDescription,
  query: SqlQuery<AccessPath>,
): ScanPool | undefined {
  return query.strategy.name === 'indexScan' || !isLarge(model) ? undefined : offload?.scanPool
}
