import type { ColumnCodec } from './column-type.ts'
import type { RelationalIndex } from './relational-layout.ts'
import type { IndexKeySchema, IndexSchema, TableSchema } from './schema/database-schema.ts'

/** A quoted column with the codec of its values. */
export interface ComparedColumn {
  readonly sql: string
  readonly codec: Pick<ColumnCodec, 'form'>
}

/**
 * Does the key of an index have the values as they compare, where the column keeps another form? An
 * engine uses such an index for an expression that is the same.
 */
export function isKeyOfValue(
  key: IndexKeySchema | undefined,
  { sql, codec: { form } }: ComparedColumn,
): boolean {
  if (key === undefined || key.column !== undefined) return false
  const value = form.value(sql)
  return value !== sql && key.sql === value && form.ordered === undefined
}

/** Does an index have all rows in the order of the values, where the column keeps another form? */
export function isIndexedByValue({ indexes }: TableSchema, column: ComparedColumn): boolean {
  return indexes.some((index) => isWhole(index) && isKeyOfValue(index.keys[0], column))
}

/** The index of the table with these keys, over values as they compare, whatever its name is. */
export function findSameIndex(
  { indexes }: TableSchema,
  { keys }: Pick<RelationalIndex, 'keys'>,
  comparedColumn: (column: RelationalIndex['keys'][number]['column']) => ComparedColumn,
): IndexSchema | undefined {
  return indexes.find(
    (index) =>
      isWhole(index) &&
      keys.every(({ column, direction }, position) => {
        const key = index.keys[position]
        const compared = comparedColumn(column)
        const isSame =
          compared.codec.form.value(compared.sql) === compared.sql
            ? key?.column === column.name
            : isKeyOfValue(key, compared)
        return isSame && key?.direction === direction
      }),
  )
}

function isWhole({ isValid, predicate }: IndexSchema): boolean {
  return isValid && predicate === undefined
}
