import { generations } from '../../cache/generations.ts'
import type { Database, PreparedStatement } from './driver.ts'

/** A connection that prepares each SQL text once. */
export interface Connection {
  prepared(sql: string): PreparedStatement
  exec(sql: string): void
  close(): void
}

const keptStatements = 500

export function connection(database: Database): Connection {
  const statements = generations<string, PreparedStatement>(keptStatements)
  return {
    prepared(sql) {
      const known = statements.get(sql)
      if (known) return known
      const statement = database.prepare(sql)
      statements.set(sql, statement)
      return statement
    },
    exec: database.exec,
    close: database.close,
  }
}
