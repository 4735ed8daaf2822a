import type { Connection } from './connection.ts'

export function hasTable(connection: Pick<Connection, 'prepare'>, name: string): boolean {
  return (
    connection
      .prepare("select 1 from sqlite_schema where type = 'table' and name = ?")
      .get([name]) !== undefined
  )
}

export function hasColumn(connection: Connection, table: string, name: string): boolean {
  return (
    connection.prepare('select 1 from pragma_table_info(?) where name = ?').get([table, name]) !==
    undefined
  )
}
