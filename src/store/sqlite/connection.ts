import { performance } from 'node:perf_hooks'
import { lruCache } from '../../cache/lru-cache.ts'
import type { Database, PreparedStatement } from './driver.ts'

/** A connection that prepares each SQL text once. */
export interface Connection {
  prepare(sql: string): PreparedStatement
  exec(sql: string): void
  /**
   * Runs a statement for so many milliseconds at most: then it is broken off where it next looks at
   * a row.
   * @throws TookTooLong
   */
  withTimeout<T>(milliseconds: number, run: () => T): T
  /** Does it hold its files until its statements are collected, though it is closed? */
  readonly keepsFilesOpenAfterClose: boolean
  /**
   * Runs a statement whose texts come to so many bytes, and as much again in short ones, at most.
   * @throws TooManyBytes
   */
  withByteLimit<T>(maxBytes: number, run: () => T): T
  close(): void
}

/** The statement was broken off. */
export class StatementTimeout extends Error {
  override readonly name = 'TookTooLong'
}

/** The statement was broken off, for the texts that it gives come to more than they may. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}

const maxCachedStatements = 500

export function connection(database: Database): Connection {
  let statements = lruCache<string, PreparedStatement>(maxCachedStatements)
  const goOn = database.checkInterrupt
  const weighNothing = database.countBytes
  return {
    prepare(sql) {
      const known = statements.get(sql)
      if (known) return known
      const statement = database.prepare(sql)
      statements.set(sql, statement)
      return statement
    },
    exec: (sql) => database.exec(sql),
    withTimeout(milliseconds, run) {
      const end = performance.now() + milliseconds
      let isOver = false
      database.checkInterrupt = () => {
        isOver = performance.now() > end
        if (isOver) throw new Error('The statement is broken off.')
      }
      try {
        return run()
      } catch (cause) {
        // Drivers may throw an error of their own in its place.
        throw isOver
          ? new StatementTimeout(`The statement took longer than ${milliseconds} ms.`, { cause })
          : cause
      } finally {
        database.checkInterrupt = goOn
      }
    },
    withByteLimit(maxBytes, run) {
      let sum = 0
      database.countBytes = (bytes) => {
        sum += bytes
        if (sum > maxBytes) throw new Error('The statement is broken off.')
      }
      try {
        return run()
      } catch (cause) {
        throw sum > maxBytes
          ? new TooManyBytes(`The texts have more than ${maxBytes} bytes.`, { cause })
          : cause
      } finally {
        database.countBytes = weighNothing
      }
    },
    keepsFilesOpenAfterClose: database.keepsFilesOpenAfterClose,
    close() {
      // Each of them keeps the files open, see `release.ts`.
      statements = lruCache(1)
      database.close()
    },
  }
}
