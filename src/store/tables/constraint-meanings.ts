import { fieldsOfRange } from '../../model/model-description.ts'
import type { RelationalExclusion, RelationalLayout } from './relational-layout.ts'
import {
  areSameColumns,
  type DatabaseSchema,
  findTable,
  type KeySchema,
  keysOf,
  partialKeysOver,
  type TableSchema,
  uniqueKeysOver,
} from './schema/database-schema.ts'
import type { DatabaseType } from './schema/database-type.ts'

/** What each constraint of the tables of a model means, by its name. */
export interface ConstraintMeanings {
  /** Those that an id violates which is taken. */
  readonly ids: ReadonlySet<string>
  /** The unique fields, and the fields of unique sets. */
  readonly unique: ReadonlyMap<string, readonly string[]>
  /** The fields of ranges. */
  readonly ranges: ReadonlyMap<string, readonly string[]>
  /** The relations. */
  readonly foreignKeys: ReadonlyMap<string, string>
  /** The fields of all other rules of the table: checks, `exclude`, keys of several columns. */
  readonly rules: ReadonlyMap<string, readonly string[]>
}

/** Of the tables as they are: other programs give constraints other names. */
export function constraintMeanings(
  layout: RelationalLayout,
  schema: DatabaseSchema,
): ConstraintMeanings {
  const table = findTable(schema, layout.table)!
  const { foreignKeys } = table
  const keys = keysOf(table)
  const unique = layout.indexes
    .filter(({ isUnique }) => isUnique)
    .flatMap((index) => {
      const columns = index.keys.map(({ column }) => column.name)
      const fields = index.keys.map(({ column }) => column.field.name)
      const partial = index.where.length === 0 ? [] : partialKeysOver(table, columns)
      return [...keys.filter((key) => areSameColumns(key.columns, columns)), ...partial].map(
        ({ name }): [string, readonly string[]] => [name, fields],
      )
    })
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
    ids: new Set(uniqueKeysOver(table, layout.key).map(({ name }) => name)),
    unique: new Map(unique),
    ranges: new Map(
      existingExclusions(layout, table).map(({ name, range }) => [
        name,
        fieldsOfRange(range).map((field) => field.name),
      ]),
    ),
    foreignKeys: new Map([...relations, ...targets]),
    rules: rulesOf(layout, table),
  }
}

/** The exclusions of the layout that the table has. */
export function existingExclusions(
  { exclusions }: RelationalLayout,
  table: TableSchema,
): readonly RelationalExclusion[] {
  const names = new Set(table.exclusions.map(({ name }) => name))
  return exclusions.filter(({ name }) => names.has(name))
}

/** A domain does not say of which column a value is: its rules have a field if only one has it. */
function rulesOf(
  layout: RelationalLayout,
  { columns, checks, exclusions, uniqueKeys, foreignKeys, indexes }: TableSchema,
): ConstraintMeanings['rules'] {
  const ofDomains = columns.flatMap(({ name, type }) =>
    domainChecks(type).map((check) => ({ check, name })),
  )
  const uniqueIndexes = indexes.filter(({ isUnique }) => isUnique)
  return new Map([
    ...ofDomains.map(({ check, name }): [string, readonly string[]] => [
      check,
      ofDomains.some((other) => other.check === check && other.name !== name)
        ? []
        : fieldsOf(layout, [name]),
    ]),
    ...uniqueIndexes.map(({ name, keys }): [string, readonly string[]] => [
      name,
      fieldsOf(
        layout,
        keys.flatMap(({ column }) => column ?? []),
      ),
    ]),
    ...[...checks, ...exclusions, ...uniqueKeys, ...foreignKeys].map(
      (rule): [string, readonly string[]] => [rule.name, fieldsOf(layout, rule.columns)],
    ),
  ])
}

function domainChecks(type: DatabaseType): readonly string[] {
  if (type.kind !== 'domain') return []
  return [...type.checks.map(({ name }) => name), ...domainChecks(type.base)]
}

/** The fields in these columns; `id` for that of the key. */
export function fieldsOf(
  { key, columns }: RelationalLayout,
  names: readonly string[],
): readonly string[] {
  return names.flatMap((name) => {
    const column = columns.find((column) => column.name === name)
    if (column) return [column.field.name]
    return key.includes(name) ? ['id'] : []
  })
}

/** Those over this column alone. */
function overColumn<K extends Pick<KeySchema, 'name' | 'columns'>>(
  keys: readonly K[],
  column: string,
): readonly K[] {
  return keys.filter((key) => areSameColumns(key.columns, [column]))
}
