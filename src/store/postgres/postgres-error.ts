import { tablesChanged } from '../store-errors.ts'
import { StoreOverloaded, StoreTimeout, StoreUnavailable } from '../store-failures.ts'

/** What the server reports about an error, as `pg` passes it on. */
interface ServerReport extends Error {
  readonly code: string
  readonly schema?: string
  readonly table?: string
  readonly column?: string
  readonly constraint?: string
  readonly detail?: string
}

/** A statement that the server refused. */
export class PostgresError extends Error {
  override readonly name = 'PostgresError'
  /** Five characters, such as `23505` for a violated unique constraint. */
  readonly sqlState: string
  readonly schema: string | undefined
  readonly table: string | undefined
  readonly column: string | undefined
  readonly constraint: string | undefined
  /** More about the values, which clients must not see. */
  readonly detail: string | undefined

  constructor(report: ServerReport) {
    super(report.message, { cause: report })
    this.sqlState = report.code
    this.schema = report.schema
    this.table = report.table
    this.column = report.column
    this.constraint = report.constraint
    this.detail = report.detail
  }

  /** Did another transaction get in the way, so that the same one may succeed now? */
  get isConflict(): boolean {
    return conflicts.has(this.sqlState)
  }
}

/**
 * A connection that does not work any more. What was sent last may have been executed. Another
 * connection may work.
 */
export class ConnectionLost extends StoreUnavailable {}

/** The statements of the connection are of no use any more; the server has undone what it ran. */
export class StatementsLost extends ConnectionLost {}

/** A failed serialization and a deadlock. */
const conflicts = new Set(['40001', '40P01'])

/**
 * Errors after which only another connection can help: the server ends or starts.
 */
const endingStates = new Set(['57P01', '57P02', '57P03'])

/** Statements that are prepared on a connection do not fit the tables, or are not there (26000). */
const stalePlan = 'cached plan must not change result type'

/**
 * Errors that may pass: a read-only server, a lock that is not free, and what an administrator or a
 * setting of the server aborted.
 */
const passingStates = new Set(['25006', '55P03', '57014'])

/** A table or column that is not there any more: a newer version of the program renamed it. */
const vanishedStates = new Set(['42P01', '42703'])

/** The error of a statement, as the callers of a store get it. */
export function toStoreError(error: unknown): Error {
  if (isStoreError(error)) return error
  if (!isServerReport(error)) return new ConnectionLost(unavailable(error), { cause: error })
  const { code, message } = error
  if (code === '26000' || message === stalePlan)
    return new StatementsLost(unavailable(error), { cause: error })
  if (code.startsWith('08') || endingStates.has(code))
    return new ConnectionLost(unavailable(error), { cause: error })
  // Class 53: no memory, no disk space, too many connections.
  if (code.startsWith('53') || passingStates.has(code))
    return new StoreUnavailable(unavailable(error), { cause: error })
  if (vanishedStates.has(code)) return tablesChanged(error)
  return new PostgresError(error)
}

/** The error of opening a connection. Wrong passwords and names do not pass by themselves. */
export function toConnectError(error: unknown): Error {
  const storeError = toStoreError(error)
  if (!(storeError instanceof PostgresError)) return storeError
  return new Error(`Cannot connect to PostgreSQL: ${storeError.message}.`, { cause: error })
}

function unavailable(error: unknown): string {
  return `PostgreSQL is unavailable: ${(error as Error).message}.`
}

function isStoreError(error: unknown): error is Error {
  return (
    error instanceof StoreUnavailable ||
    error instanceof StoreOverloaded ||
    error instanceof StoreTimeout ||
    error instanceof PostgresError
  )
}

/** Errors of the system have a `code` too, but no severity. */
function isServerReport(error: unknown): error is ServerReport {
  return error instanceof Error && 'severity' in error && 'code' in error
}
