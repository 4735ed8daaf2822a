import type { Statement } from './asking.ts'
import type { Connection } from './connection.ts'
import type { Row } from './rows.ts'

export function rowsOf(connection: Connection, { sql, parameters }: Statement): Row[] {
  return connection.prepared(sql).all(parameters)
}

/** Undefined where there is none. */
export function firstRowOf(connection: Connection, { sql, parameters }: Statement): Row | undefined {
  return connection.prepared(sql).get(parameters)
}

/** What a statement counts. */
export function countOf(connection: Connection, statement: Statement): number {
  return firstRowOf(connection, statement)![0] as number
}
