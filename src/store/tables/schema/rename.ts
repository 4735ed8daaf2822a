import type { TableName } from '../../../model/storage.ts'
import { type DatabaseSchema, findTable, type KeySchema } from './database-schema.ts'

/** The schema after `alter table … rename to …`. */
export function renameTable(
  schema: DatabaseSchema,
  from: TableName,
  to: TableName,
): DatabaseSchema {
  const table = findTable(schema, from)
  return {
    tables: schema.tables.map((one) => (one === table ? { ...one, name: to.name } : one)),
  }
}

/** The schema after `alter table … rename column … to …`. */
export function renameColumn(
  schema: DatabaseSchema,
  name: TableName,
  from: string,
  to: string,
): DatabaseSchema {
  const table = findTable(schema, name)
  const renamed = (column: string) => (column === from ? to : column)
  const inKey = <K extends Pick<KeySchema, 'columns'>>(key: K): K => ({
    ...key,
    columns: key.columns.map(renamed),
  })
  return {
    tables: schema.tables.map((one) =>
      one === table
        ? {
            ...one,
            columns: one.columns.map((column) => ({ ...column, name: renamed(column.name) })),
            primaryKey: one.primaryKey && inKey(one.primaryKey),
            uniqueKeys: one.uniqueKeys.map(inKey),
            foreignKeys: one.foreignKeys.map(inKey),
            indexes: one.indexes.map((index) => ({
              ...index,
              keys: index.keys.map((key) => ({
                ...key,
                column: key.column === undefined ? undefined : renamed(key.column),
              })),
            })),
          }
        : one,
    ),
  }
}
