import { performance } from 'node:perf_hooks'
import { lruCache } from '../../cache/lru-cache.ts'
import { statementsRun } from '../../telemetry/channels.ts'
import { observeRun } from '../../telemetry/observe-run.ts'
import { TooManyBytes } from '../reader/chunk-size.ts'
import type { Database, PreparedStatement } from './driver.ts'

/** A database connection that caches prepared statements. */
export interface Connection {
  prepare(sql: string): PreparedStatement
  exec(sql: string): void
  readonly isInTransaction: boolean
  /**
   * Runs a statement, and aborts it at the next row once the time is over.
   * @throws StatementTimeout
   */
  withTimeout<T>(timeoutMs: number, run: () => T): T
  /** Does a closed connection keep its files open until its statements are garbage collected? */
  readonly keepsFilesOpenAfterClose: boolean
  /**
   * Runs a statement that may return so many bytes of text, and as much again in short texts.
   * @throws TooManyBytes
   */
  withByteLimit<T>(maxBytes: number, run: () => T): T
  /** Makes a function that SQL can call, in place of one with the same name. */
  defineFunction: Database['defineFunction']
  close(): void
}

export class StatementTimeout extends Error {
  override readonly name = 'StatementTimeout'
}

const maxCachedStatements = 500

export function connection(database: Database): Connection {
  let statements = lruCache<string, PreparedStatement>(maxCachedStatements)
  const neverInterrupt = database.checkInterrupt
  const countNothing = database.countBytes
  return {
    prepare(sql) {
      let statement = statements.get(sql)
      if (!statement) {
        statement = database.prepare(sql)
        statements.set(sql, statement)
      }
      return statementsRun.hasSubscribers ? observed(sql, statement) : statement
    },
    exec: (sql) => database.exec(sql),
    get isInTransaction() {
      return database.isInTransaction
    },
    withTimeout(timeoutMs, run) {
      const deadline = performance.now() + timeoutMs
      let hasTimedOut = false
      database.checkInterrupt = () => {
        hasTimedOut = performance.now() > deadline
        if (hasTimedOut) throw new Error('The statement was aborted.')
      }
      try {
        return run()
      } catch (cause) {
        // A driver may replace this error with its own.
        throw hasTimedOut
          ? new StatementTimeout(
              `The statement took longer than ${timeoutMs} ms and was aborted.`,
              { cause },
            )
          : cause
      } finally {
        database.checkInterrupt = neverInterrupt
      }
    },
    withByteLimit(maxBytes, run) {
      let byteCount = 0
      database.countBytes = (bytes) => {
        byteCount += bytes
        if (byteCount > maxBytes) throw new Error('The statement was aborted.')
      }
      try {
        return run()
      } catch (cause) {
        throw byteCount > maxBytes
          ? new TooManyBytes(`The statement returned more than ${maxBytes} bytes of text.`, {
              cause,
            })
          : cause
      } finally {
        database.countBytes = countNothing
      }
    },
    keepsFilesOpenAfterClose: database.keepsFilesOpenAfterClose,
    defineFunction: (name, implementation) => database.defineFunction(name, implementation),
    close() {
      // Each prepared statement keeps the files open, see `release-connections.ts`.
      statements = lruCache(1)
      database.close()
    },
  }
}

function observed(sql: string, statement: PreparedStatement): PreparedStatement {
  return {
    all: (parameters) => observeRun('sqlite', [sql], () => statement.all(parameters)),
    get: (parameters) => observeRun('sqlite', [sql], () => statement.get(parameters)),
    run: (parameters) => observeRun('sqlite', [sql], () => statement.run(parameters)),
  }
}
