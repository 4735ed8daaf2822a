import { performance } from 'node:perf_hooks'
import { generations } from '../../cache/generations.ts'
import type { Database, PreparedStatement } from './driver.ts'

/** A connection that prepares each SQL text once. */
export interface Connection {
  prepared(sql: string): PreparedStatement
  exec(sql: string): void
  /**
   * Runs a statement for so many milliseconds at most: then it is broken off where it next looks at a row.
   * @throws TookTooLong
   */
  within<T>(milliseconds: number, run: () => T): T
  /** Does it hold its files until its statements are collected, though it is closed? */
  readonly outlivesClose: boolean
  /**
   * Runs a statement whose texts come to so many bytes, and as much again in short ones, at most.
   * @throws TooManyBytes
   */
  upTo<T>(maxBytes: number, run: () => T): T
  close(): void
}

/** The statement was broken off. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong'
}

/** The statement was broken off, for the texts that it gives come to more than they may. */
export class TooManyBytes extends Error {
  override readonly name = 'TooManyBytes'
}

const keptStatements = 500

export function connection(database: Database): Connection {
  let statements = generations<string, PreparedStatement>(keptStatements)
  const goOn = database.goesOn
  const weighNothing = database.weigh
  return {
    prepared(sql) {
      const known = statements.get(sql)
      if (known) return known
      const statement = database.prepare(sql)
      statements.set(sql, statement)
      return statement
    },
    exec: (sql) => database.exec(sql),
    within(milliseconds, run) {
      const end = performance.now() + milliseconds
      let isOver = false
      database.goesOn = () => {
        isOver = performance.now() > end
        if (isOver) throw new Error('The statement is broken off.')
      }
      try {
        return run()
      } catch (cause) {
        // Drivers may throw an error of their own in its place.
        throw isOver ? new TookTooLong(`The statement took longer than ${milliseconds} ms.`, { cause }) : cause
      } finally {
        database.goesOn = goOn
      }
    },
    upTo(maxBytes, run) {
      let sum = 0
      database.weigh = (bytes) => {
        sum += bytes
        if (sum > maxBytes) throw new Error('The statement is broken off.')
      }
      try {
        return run()
      } catch (cause) {
        throw sum > maxBytes ? new TooManyBytes(`The texts have more than ${maxBytes} bytes.`, { cause }) : cause
      } finally {
        database.weigh = weighNothing
      }
    },
    outlivesClose: database.outlivesClose,
    close() {
      // Each of them keeps the files open, see `release.ts`.
      statements = generations(1)
      database.close()
    },
  }
}
