import { performance } from 'node:perf_hooks'
import type { ModelDescription } from '../../model/model-description.ts'
import type { Caller } from '../store.ts'
import { type Connection, StatementTimeout } from './connection.ts'
import type { Row } from './rows.ts'
import { queryRows } from './run-statement.ts'
import type { ScanPool } from './scan-pool.ts'
import type { Statement } from './statement-cache.ts'

/** Where long work goes, and which work may be long. */
export interface ScanOffload {
  readonly scanPool: ScanPool
  /** Whether a table is so large that looking at all of it is not even tried on the main thread. */
  isLarge(model: ModelDescription): boolean
  /**
   * Runs a statement that may look at many rows on the main thread where that is quick, else in a
   * worker.
   * @throws TooManyBytes where the texts that it gives come to more than `maxBytes`
   */
  rows(
    connection: Connection,
    statement: Statement,
    caller: Caller | undefined,
    maxBytes?: number,
  ): Row[] | Promise<Row[]>
}

/**
 * How long statements that look at many rows may keep the main thread, in milliseconds, before
 * others have to have had as much of it.
 */
const maxMainThreadMs = 20
/** Below that there is no use in trying. */
const minTrialMs = 2

/**
 * Tries on the main thread first, because to ask a worker costs more than most statements take.
 * What takes too long is broken off and handed over. All statements share what time there is, for
 * many that are quick by themselves hold up others as one long one does.
 *
 * @param atOnce how long such statements may keep the main thread in a row, in milliseconds; one
 * alone half as long
 */
export function scanOffload(
  scans: ScanPool,
  isLarge: ScanOffload['isLarge'],
  atOnce: number = maxMainThreadMs,
): ScanOffload {
  let left = atOnce
  let last = performance.now()

  const tried = (
    connection: Connection,
    statement: Statement,
    maxBytes: number,
  ): Row[] | undefined => {
    const begun = performance.now()
    left = Math.min(atOnce, left + (begun - last) / 2)
    last = begun
    if (left < minTrialMs) return undefined
    try {
      const run = () => queryRows(connection, statement)
      return connection.withTimeout(Math.min(left, atOnce / 2), () =>
        connection.withByteLimit(maxBytes, run),
      )
    } catch (error) {
      if (error instanceof StatementTimeout) return undefined
      throw error
    } finally {
      last = performance.now()
      left -= last - begun
    }
  }

  return {
    scanPool: scans,
    isLarge,
    rows: (connection, statement, caller, maxBytes: number = Number.POSITIVE_INFINITY) =>
      tried(connection, statement, maxBytes) ?? scans.rows(statement, caller, maxBytes),
  }
}
