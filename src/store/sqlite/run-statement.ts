import type { Row } from '../sql/rows.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Connection } from './connection.ts'
import { quoteIdentifier } from './dialect.ts'

/** @throws TooManyBytes */
export function queryRows(connection: Connection, { sql, parameters, maxBytes }: Statement): Row[] {
  const statement = connection.prepare(sql)
  return maxBytes === undefined
    ? statement.all(parameters)
    : connection.withByteLimit(maxBytes, () => statement.all(parameters))
}

/** Undefined where there is no row. */
export function queryFirstRow(
  connection: Connection,
  { sql, parameters }: Statement,
): Row | undefined {
  return connection.prepare(sql).get(parameters)
}

/** The result of a `count(*)`. */
export function queryCount(connection: Connection, statement: Statement): number {
  return queryFirstRow(connection, statement)![0] as number
}

/** How many rows of a table satisfy the condition, or how many it has. */
export function countRows(connection: Connection, table: string, condition?: string): number {
  const where = condition === undefined ? '' : ` where ${condition}`
  const sql = `select count(*) from ${quoteIdentifier(table)}${where}`
  return queryCount(connection, { sql, parameters: [] })
}

/** Returns how many rows the statement changed. */
export function runStatement(connection: Connection, { sql, parameters }: Statement): number {
  return connection.prepare(sql).run(parameters)
}
