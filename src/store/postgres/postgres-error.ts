import { TooManyBytes } from '../reader/chunk-size.ts'
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
  /** Which statement of its round trip it was; their number for an error of the commit. */
  readonly statementIndex: number

  constructor(report: ServerReport, statementIndex: number) {
    super(report.message, { cause: report })
    this.sqlState = report.code
    this.schema = report.schema
    this.table = report.table
    this.column = report.column
    this.constraint = report.constraint
    this.detail = report.detail
    this.statementIndex = statementIndex
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

/**
 * A connection that is of no use any more, because of an error that the server has reported: it has
 * undone what was sent.
 */
export abstract class UselessConnection extends ConnectionLost {}

/** The prepared statements of the connection do not fit the tables. */
class StatementsLost extends UselessConnection {}

/** A pooler between the server and this process gave the connection the statements of another. */
export class SharedStatements extends StatementsLost {}

/** The server was a primary and is a standby now. Its address may lead to another server. */
export class ReadOnlyServer extends UselessConnection {}

/** Another transaction did not release a lock in time. */
export class LockTimeout extends StoreUnavailable {}

/**
 * The same for a transaction that may have locks itself. The other may wait for one of these: a
 * deadlock, which the server had no time to find.
 */
export class LockTimeoutWithLocks extends LockTimeout {}

/** A failed serialization and a deadlock. */
const conflicts = new Set(['40001', '40P01'])

/**
 * Errors after which only another connection can help: the server ends or starts (57P01 to 57P03),
 * ends an idle connection (57P05) or transaction (25P03), or does not know what it did (40003).
 */
const endingStates = new Set(['57P01', '57P02', '57P03', '57P05', '25P03', '40003'])

/** A prepared statement is not there, or is there already. */
const sharedStates = new Set(['26000', '42P05'])

const stalePlan = 'cached plan must not change result type'

const lockTimeoutState = '55P03'

/** What an administrator or a setting of the server aborted. */
const abortedState = '57014'

/**
 * A table, column or function that is not there any more: a newer version of the program renamed
 * it, or somebody dropped the function of an index over words.
 */
const vanishedStates = new Set(['42P01', '42703', '42883'])

/**
 * The error of a statement, as the callers of a store get it.
 * @param statementIndex as in `PostgresError`
 */
export function toStoreError(error: unknown, statementIndex = 0): Error {
  if (isStoreError(error)) return error
  if (!isServerReport(error)) return new ConnectionLost(unavailable(error), { cause: error })
  const { code, message } = error
  if (sharedStates.has(code)) return new SharedStatements(unavailable(error), { cause: error })
  if (message === stalePlan) return new StatementsLost(unavailable(error), { cause: error })
  if (code === '25006') return new ReadOnlyServer(unavailable(error), { cause: error })
  if (code.startsWith('08') || endingStates.has(code))
    return new ConnectionLost(unavailable(error), { cause: error })
  if (code === lockTimeoutState)
    return new LockTimeout(`Another transaction did not release a lock in time: ${message}.`, {
      cause: error,
    })
  // Class 53: no memory, no disk space, too many connections.
  if (code.startsWith('53') || code === abortedState)
    return new StoreUnavailable(unavailable(error), { cause: error })
  if (vanishedStates.has(code)) return tablesChanged(error)
  return new PostgresError(error, statementIndex)
}

/**
 * The error of opening a connection. Wrong passwords and names, and missing rights, do not pass by
 * themselves.
 * @param step what the server refused
 */
export function toConnectError(error: unknown, step: 'login' | 'settings'): Error {
  const storeError = toStoreError(error)
  if (!(storeError instanceof PostgresError)) return storeError
  const { message } = storeError
  return step === 'login'
    ? new Error(`Cannot connect to PostgreSQL: ${message}.`, { cause: error })
    : new Error(`Cannot configure a connection to PostgreSQL: ${message}.`, { cause: error })
}

function unavailable(error: unknown): string {
  return `PostgreSQL is unavailable: ${(error as Error).message}.`
}

function isStoreError(error: unknown): error is Error {
  return (
    error instanceof StoreUnavailable ||
    error instanceof StoreOverloaded ||
    error instanceof StoreTimeout ||
    error instanceof TooManyBytes ||
    error instanceof PostgresError
  )
}

/** Errors of the system have a `code` too, but no severity. */
function isServerReport(error: unknown): error is ServerReport {
  return error instanceof Error && 'severity' in error && 'code' in error
}
