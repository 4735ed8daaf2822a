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
  close(): void
}

/** The statement was broken off. */
export class TookTooLong extends Error {
  override readonly name = 'TookTooLong'
}

const keptStatements = 500

export function connection(database: Database): Connection {
  let statements = generations<string, PreparedStatement>(keptStatements)
  const goOn = database.goesOn
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
    outlivesClose: database.outlivesClose,
    close() {
      // Each of them keeps the files open, see `release.ts`.
      statements = generations(1)
      database.close()
    },
  }
}
