import type { RelationalColumn } from './relational-layout.ts'
import { type ColumnSchema, findColumn, type TableSchema } from './schema/database-schema.ts'

export interface WritableColumn {
  readonly column: RelationalColumn
  /** Does the database give a new row a value where the item has none? */
  readonly hasDefault: boolean
  /** What the column becomes where an item has no value any more, in SQL; undefined for NULL. */
  readonly whenRemoved: string | undefined
}

/** Nobody can write what the database computes. */
export function writableColumns(
  columns: readonly RelationalColumn[],
  table: TableSchema,
): readonly WritableColumn[] {
  return columns.flatMap((column) => {
    const columnSchema = findColumn(table, column.name)!
    const { default: value, isNullable } = columnSchema
    if (isComputed(columnSchema)) return []
    return {
      column,
      hasDefault: hasDefault(columnSchema),
      whenRemoved: !isNullable && value?.kind === 'expression' ? `(${value.sql})` : undefined,
    }
  })
}

/** Does the database give a new row a value where an insert has none? */
export function hasDefault({ generated, default: value }: ColumnSchema): boolean {
  return generated === 'identityByDefault' || value !== undefined
}

/** Does the database alone write the column? */
export function isComputed({ generated }: ColumnSchema): boolean {
  return generated === 'identityAlways' || generated === 'computed'
}
