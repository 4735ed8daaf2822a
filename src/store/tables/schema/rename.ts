import type { TableName } from '../../../model/storage.ts'
import {
  type DatabaseSchema,
  type ForeignKeySchema,
  findTable,
  type KeySchema,
  type TableSchema,
} from './database-schema.ts'

/** The schema after `alter table … rename to …`. */
export function renameTable(
  schema: DatabaseSchema,
  before: TableSchema,
  after: TableSchema,
): DatabaseSchema {
  const isBefore = ({ schema, name }: ForeignKeySchema['target']) =>
    schema === before.schema && name === before.name
  return {
    tables: schema.tables.map((one) => {
      const table = one === before ? after : one
      return {
        ...table,
        foreignKeys: table.foreignKeys.map((key) =>
          isBefore(key.target) ? { ...key, target: { ...key.target, name: after.name } } : key,
        ),
      }
    }),
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
  const newName = (column: string) => (column === from ? to : column)
  const inKey = <K extends Pick<KeySchema, 'columns'>>(key: K): K => ({
    ...key,
    columns: key.columns.map(newName),
  })
  return {
    tables: schema.tables.map((one) =>
      one === table
        ? {
            ...one,
            columns: one.columns.map((column) => ({ ...column, name: newName(column.name) })),
            primaryKey: one.primaryKey && inKey(one.primaryKey),
            uniqueKeys: one.uniqueKeys.map(inKey),
            foreignKeys: one.foreignKeys.map(inKey),
            indexes: one.indexes.map((index) => ({
              ...index,
              keys: index.keys.map((key) => ({
                ...key,
                column: key.column === undefined ? undefined : newName(key.column),
              })),
            })),
          }
        : one,
    ),
  }
}
