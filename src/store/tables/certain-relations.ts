import type { Engine } from './engine.ts'
import { existingCodec } from './existing-codec.ts'
import type { RelationalColumn } from './relational-layout.ts'
import {
  allowsNull,
  type DatabaseSchema,
  findColumn,
  findTable,
  type TableSchema,
} from './schema/database-schema.ts'
import { shortName } from './short-name.ts'

/**
 * The names of the to-one relations that lead from every row to an item, because a foreign key of
 * the database says so, and every row of the other table is an item that the service sees.
 */
export function certainRelations(
  engine: Engine,
  columns: readonly RelationalColumn[],
  table: TableSchema,
  schema: DatabaseSchema,
): ReadonlySet<string> {
  const certain = columns.filter(({ field, name }) => {
    if (field.kind !== 'toOne' || findColumn(table, name)!.isNullable) return false
    const { storage } = field.relatedModel
    const [key, ...moreKeys] = storage.key
    const targetName = {
      ...storage.table,
      name: shortName(storage.table.name, engine.maxNameBytes),
    }
    const target = findTable(schema, targetName)
    if (!target || moreKeys.length > 0 || target.hasRowPolicies) return false
    const keyColumn = findColumn(target, key!)
    if (!keyColumn || allowsNull(keyColumn)) return false
    if (existingCodec(engine, target, key!, 'id').isId) return false
    return table.foreignKeys.some(
      (foreignKey) =>
        !foreignKey.isUnchecked &&
        foreignKey.target.name === target.name &&
        foreignKey.target.schema === target.schema &&
        foreignKey.columns.length === 1 &&
        foreignKey.columns[0] === name &&
        (foreignKey.targetColumns[0] ?? target.primaryKey?.columns[0]) === key,
    )
  })
  return new Set(certain.map(({ field }) => field.name))
}

/** The names of the columns by which an index has the rows in order, before other columns. */
export function leadingColumns({
  primaryKey,
  uniqueKeys,
  indexes,
}: TableSchema): ReadonlySet<string> {
  const keys = primaryKey ? [primaryKey, ...uniqueKeys] : uniqueKeys
  return new Set(
    [
      ...keys.map(({ columns }) => columns[0]),
      ...wholeIndexes(indexes).map(({ keys: [first] }) => first?.column),
    ].filter((name) => name !== undefined),
  )
}

/** The columns by which indexes have all rows in order, but only with NULL after all values. */
export function columnsWithLargestNull({ uniqueKeys, indexes }: TableSchema): ReadonlySet<string> {
  const leading = [
    ...uniqueKeys.map(({ columns: [column], isNullLargest }) => ({ column, isNullLargest })),
    ...wholeIndexes(indexes).flatMap(({ keys: [first] }) => first ?? []),
  ]
  const smallest = new Set(
    leading.filter(({ isNullLargest }) => !isNullLargest).map(({ column }) => column),
  )
  return new Set(
    leading.flatMap(({ column }) => (column === undefined || smallest.has(column) ? [] : column)),
  )
}

function wholeIndexes(indexes: TableSchema['indexes']): TableSchema['indexes'] {
  return indexes.filter(({ isValid, predicate }) => isValid && predicate === undefined)
}
