import type { Connection } from './connection.ts'

export function hasTable(connection: Connection, name: string): boolean {
  return (
    connection
      .prepare("select 1 from sqlite_schema where type = 'table' and name = ?")
      .get([name]) !== undefined
  )
}
