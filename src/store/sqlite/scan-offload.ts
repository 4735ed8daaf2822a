import { createHash } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { lruCache } from '../../cache/lru-cache.ts'
import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import { type Connection, StatementTimeout } from './connection.ts'
import { queryRows } from './run-statement.ts'
import type { ScanPool } from './scan-pool.ts'

/** Decides whether a statement runs on the main thread or in a worker. */
export interface ScanOffload {
  readonly scanPool: ScanPool
  /**
   * Runs a statement that may read many rows: on the main thread where that is fast, else in a
   * worker.
   * @throws TooManyBytes where it returns more than `maxBytes` of text
   */
  rows(
    connection: Connection,
    statement: Statement,
    call: StoreCall | undefined,
    maxBytes?: number,
  ): Row[] | Promise<Row[]>
}

/**
 * The main thread time that such statements may use in a row. It refills at half the speed of time.
 */
const maxMainThreadMs = 20
/** A trial with less time is not worth it. What was slow with other parameters gets no more. */
const minTrialMs = 2
/** A table may have become smaller. */
const maxSlowMs = 10_000
const maxSlowStatements = 100
/** What takes less time does not count: to send it to a worker and back would take as much. */
const uncountedMs = 0.25

/**
 * Tries the main thread first, because a message to a worker costs more than most statements. A
 * statement that takes too long is aborted and runs in a worker. All statements that take longer
 * than a page of an index share one time budget, because many of them block others as one slow
 * statement does.
 *
 * @param budgetMs the main thread time of such statements in a row; one alone gets half of it
 */
export function scanOffload(scanPool: ScanPool, budgetMs: number = maxMainThreadMs): ScanOffload {
  let remainingMs = budgetMs
  let updatedAt = performance.now()
  /** When statements took all of the time of a trial, by SQL, and by SQL with parameters. */
  const slowSince = lruCache<string, number>(maxSlowStatements)
  /** Where none was slow, lists do not look for theirs. */
  let lastSlowAt = Number.NEGATIVE_INFINITY

  const isSlow = (key: string, now: number): boolean => {
    const since = slowSince.get(key)
    return since !== undefined && now - since < maxSlowMs
  }

  const tryOnMainThread = (
    connection: Connection,
    statement: Statement,
    maxBytes: number,
  ): Row[] | undefined => {
    const startedAt = performance.now()
    remainingMs = Math.min(budgetMs, remainingMs + (startedAt - updatedAt) / 2)
    updatedAt = startedAt
    if (remainingMs < minTrialMs) return undefined
    const wasSlow = startedAt - lastSlowAt < maxSlowMs && isSlow(statement.sql, startedAt)
    if (wasSlow && isSlow(digestOf(statement), startedAt)) return undefined
    const trialMs = wasSlow ? minTrialMs : Math.min(remainingMs, budgetMs / 2)
    try {
      const run = () => queryRows(connection, statement)
      return connection.withTimeout(trialMs, () => connection.withByteLimit(maxBytes, run))
    } catch (error) {
      if (!(error instanceof StatementTimeout)) throw error
      const isFullTrial = trialMs === budgetMs / 2
      if (isFullTrial) {
        slowSince.set(statement.sql, startedAt)
        lastSlowAt = startedAt
      }
      if (isFullTrial || wasSlow) slowSince.set(digestOf(statement), startedAt)
      return undefined
    } finally {
      updatedAt = performance.now()
      const takenMs = updatedAt - startedAt
      if (takenMs > uncountedMs) remainingMs -= takenMs
    }
  }

  return {
    scanPool,
    rows: (connection, statement, call, maxBytes: number = Number.POSITIVE_INFINITY) =>
      tryOnMainThread(connection, statement, maxBytes) ?? scanPool.rows(statement, call, maxBytes),
  }
}

/** The SQL with its parameters, which may be long. */
function digestOf({ sql, parameters }: Statement): string {
  return createHash('sha256')
    .update([sql, ...parameters].join('\0'))
    .digest('base64')
}
