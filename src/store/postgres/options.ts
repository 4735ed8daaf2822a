import {
  milliseconds,
  type OptionChecks,
  positiveMilliseconds,
  wholeNumber,
  withDefaults,
} from '../../model/check-options.ts'

/** How a store connects to PostgreSQL. */
export interface PostgresConnectionOptions {
  /**
   * The servers of which one is the primary, such as `['db-1', 'db-2:5433']`, in place of the host
   * of the URL. The folder of a Unix socket begins with `/`. Default: those that the URL names.
   */
  readonly hosts?: readonly string[]
  /**
   * How long a call waits while no primary can be connected to, such as during a failover, in
   * milliseconds; then it fails with `StoreUnavailable`. At most `maxWaiting` calls wait, and none
   * after a minute without a primary, nor before there was one. 0 for not at all. Default: 5 000.
   */
  readonly failoverWaitMs?: number
  /** How many connections may be open at a time. Default: 10. */
  readonly maxConnections?: number
  /** How many calls may wait for a connection; more are refused. Default: 1 000. */
  readonly maxWaiting?: number
  /** How long a call waits for a free connection, in milliseconds. Default: 5 000. */
  readonly acquireTimeoutMs?: number
  /** How long opening a connection may take, in milliseconds. Default: 5 000. */
  readonly connectTimeoutMs?: number
  /** How long a connection stays open without being used, in milliseconds. Default: 30 000. */
  readonly idleTimeoutMs?: number
  /** After how long a statement is aborted, in milliseconds. Default: 10 000. */
  readonly statementTimeoutMs?: number
  /**
   * Keep prepared statements on connections? Behind a pooler that gives each transaction another
   * connection, such as PgBouncer with `pool_mode = transaction`, the first statement that is not
   * there ends that, with a warning; `false` says so from the beginning. Default: true.
   */
  readonly preparedStatements?: boolean
}

/** How long the statements of a store may take. */
export interface PostgresTimeOptions {
  /**
   * After how long a statement of a request is aborted that may read many rows, such as that of a
   * list or of its total, in milliseconds. Default: half of `statementTimeoutMs`.
   */
  readonly listTimeoutMs?: number
  /**
   * How long a statement waits for a lock that another transaction has, such as that of a row, in
   * milliseconds. Default: 3 000.
   */
  readonly lockTimeoutMs?: number
}

export type ConnectionLimits = Required<
  Omit<PostgresConnectionOptions, 'hosts'> & PostgresTimeOptions
>

export const connectionOptions: OptionChecks<PostgresConnectionOptions> = {
  hosts: true,
  failoverWaitMs: milliseconds,
  maxConnections: wholeNumber(1, 10_000),
  maxWaiting: wholeNumber(0),
  acquireTimeoutMs: positiveMilliseconds,
  connectTimeoutMs: positiveMilliseconds,
  idleTimeoutMs: positiveMilliseconds,
  statementTimeoutMs: positiveMilliseconds,
  preparedStatements: 'boolean',
}

export const timeOptions: OptionChecks<PostgresTimeOptions> = {
  listTimeoutMs: positiveMilliseconds,
  lockTimeoutMs: positiveMilliseconds,
}

export const defaultConnectionLimits: ConnectionLimits = {
  failoverWaitMs: 5_000,
  maxConnections: 10,
  maxWaiting: 1_000,
  acquireTimeoutMs: 5_000,
  connectTimeoutMs: 5_000,
  idleTimeoutMs: 30_000,
  statementTimeoutMs: 10_000,
  listTimeoutMs: 5_000,
  lockTimeoutMs: 3_000,
  preparedStatements: true,
}

export function connectionLimits({
  hosts: _,
  ...options
}: PostgresConnectionOptions & PostgresTimeOptions): ConnectionLimits {
  const limits = withDefaults(defaultConnectionLimits, options)
  const { listTimeoutMs = Math.ceil(limits.statementTimeoutMs / 2) } = options
  return { ...limits, listTimeoutMs }
}
