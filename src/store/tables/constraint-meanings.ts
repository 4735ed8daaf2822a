import type { RelationalLayout } from './relational-layout.ts'
import { type DatabaseSchema, findTable, type KeySchema } from './schema/database-schema.ts'

/** What each constraint of the tables of a model means, by its name. */
export interface ConstraintMeanings {
  /** Those that an id violates which is taken. */
  readonly ids: ReadonlySet<string>
  /** The unique fields. */
  readonly unique: ReadonlyMap<string, string>
  /** The relations. */
  readonly foreignKeys: ReadonlyMap<string, string>
}

/** Of the tables as they are: other programs give constraints other names. */
export function constraintMeanings(
  layout: RelationalLayout,
  schema: DatabaseSchema,
): ConstraintMeanings {
  const { primaryKey, uniqueKeys, foreignKeys } = findTable(schema, layout.table)!
  const keys = [...(primaryKey ? [primaryKey] : []), ...uniqueKeys]
  const unique = layout.columns.flatMap(({ name: column, field }) =>
    field.kind === 'value' && field.isUnique
      ? overColumn(keys, column).map(({ name }): [string, string] => [name, field.name])
      : [],
  )
  const relations = layout.columns.flatMap(({ name: column, field }) =>
    field.kind === 'toOne'
      ? overColumn(foreignKeys, column).map(({ name }): [string, string] => [name, field.name])
      : [],
  )
  const targets = layout.joinTables.flatMap(({ field, table, target }) =>
    overColumn(findTable(schema, table)!.foreignKeys, target).map(({ name }): [string, string] => [
      name,
      field.name,
    ]),
  )
  return {
    ids: new Set(overColumn(keys, layout.key).map(({ name }) => name)),
    unique: new Map(unique),
    foreignKeys: new Map([...relations, ...targets]),
  }
}

/** Those over this column alone. */
function overColumn<K extends Pick<KeySchema, 'name' | 'columns'>>(
  keys: readonly K[],
  column: string,
): readonly K[] {
  return keys.filter(({ columns }) => columns.length === 1 && columns[0] === column)
}
