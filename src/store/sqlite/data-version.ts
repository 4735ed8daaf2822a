import type { Connection } from './connection.ts'
import { queryFirstRow } from './run-statement.ts'

const statement = Object.freeze({ sql: 'pragma data_version', parameters: [] })

/** A number that every commit of another connection or process changes. */
export function dataVersion(connection: Connection): number {
  return queryFirstRow(connection, statement)![0] as number
}
