import type { TableName } from '../../../model/storage.ts'
import { joinWords } from '../../../text/message-text.ts'
import { uniqueSubject } from '../../unique-subject.ts'
import type { ColumnType } from '../column-type.ts'
import type { Engine } from '../engine.ts'
import type { RelationalJoinTable, RelationalLayout } from '../relational-layout.ts'
import {
  allowsNull,
  type DatabaseSchema,
  findColumn,
  findTable,
  hasKeys,
  isUniqueKey,
  isView,
  partialKeysOver,
  type TableSchema,
  uniqueKeysOver,
} from '../schema/database-schema.ts'
import { typeText } from '../schema/database-type.ts'

/** Why the tables of another program do not fit a model, a sentence for each reason. */
export function compareTables(
  engine: Engine,
  layout: RelationalLayout,
  schema: DatabaseSchema,
): readonly string[] {
  const { model } = layout
  const table = findTable(schema, layout.table)
  const joinTables = layout.joinTables.flatMap((joinTable) =>
    compareJoinTable(engine, layout, joinTable, schema),
  )
  if (!table)
    return [
      `The table '${nameText(layout.table)}' of the model '${model.name}' does not exist.`,
      ...joinTables,
    ]
  return [
    ...compareKey(engine, layout, table),
    ...layout.columns.flatMap(({ name, type, field, isRequired }) =>
      compareColumn(engine, table, name, type, {
        field: `field '${field.name}' of the model '${model.name}'`,
        isRequired,
      }),
    ),
    ...compareUniqueFields(layout, table),
    ...compareVersion(layout, table),
    ...joinTables,
  ]
}

/** Why the key of a table cannot have the ids of a model. */
export function compareKey(
  engine: Engine,
  { key, model }: RelationalLayout,
  table: TableSchema,
): readonly string[] {
  if (isView(table) && !model.isReadOnly)
    return [
      `'${table.name}' is a view, so clients cannot write the items of the model '${model.name}'. Give the model the option { readOnly: true }.`,
    ]
  const faults = key.flatMap((column) =>
    compareColumn(engine, table, column, 'id', {
      field: `id of the model '${model.name}'`,
      isRequired: false,
    }),
  )
  if (faults.length > 0 || model.isReadOnly || !hasKeys(table) || isUniqueKey(table, key))
    return faults
  const columns = `${key.length === 1 ? 'column' : 'columns'} ${key.map((name) => `'${name}'`).join(', ')}`
  return [
    `No primary key or unique index makes the ids of the model '${model.name}' unique (${columns} of '${table.name}'). Add one, or give the model the option { readOnly: true } if the values are unique and clients only read.`,
  ]
}

function compareColumn(
  engine: Engine,
  table: TableSchema,
  name: string,
  type: ColumnType,
  { field, isRequired }: { readonly field: string; readonly isRequired: boolean },
): readonly string[] {
  const column = findColumn(table, name)
  if (!column) return [`The table '${table.name}' has no column '${name}' for the ${field}.`]
  if (!engine.codecFor(type, column.type))
    return [
      `The column '${name}' of '${table.name}' has the type ${typeText(column.type)}, which cannot hold the ${field}.`,
    ]
  if (isRequired && allowsNull(column) && hasKeys(table))
    return [
      `The column '${name}' of '${table.name}' may be NULL, but the ${field} requires a value. Make the field optional or nullable.`,
    ]
  return []
}

function compareUniqueFields(
  { indexes, model }: RelationalLayout,
  table: TableSchema,
): readonly string[] {
  return indexes
    .filter(({ isUnique }) => isUnique)
    .flatMap(({ keys, where }) => {
      const names = keys.map(({ column }) => column.name)
      const fields = keys.map(({ column }) => column.field.name)
      // Whether the condition of an index is that of the model, only the database could say.
      const isPartial = where.length > 0 && partialKeysOver(table, names).length > 0
      if (isPartial || isUniqueKey(table, names)) return []
      const columns = `${names.length === 1 ? 'column' : 'columns'} ${joinWords(names.map((name) => `'${name}'`))}`
      const subject = uniqueSubject(model, fields)
      return `No unique index is over the ${columns} of '${table.name}', but ${subject.charAt(0).toLowerCase()}${subject.slice(1)}.`
    })
}

function compareVersion(layout: RelationalLayout, table: TableSchema): readonly string[] {
  const { version } = layout
  if (version.kind !== 'named' || findColumn(table, version.column)) return []
  return [noVersionColumn(layout, version.column)]
}

export function noVersionColumn({ table, model }: RelationalLayout, column: string): string {
  return `The table '${table.name}' has no column '${column}' for the hash of the model '${model.name}'.`
}

export function compareJoinTable(
  engine: Engine,
  { model }: RelationalLayout,
  { field, table: name, owner, target }: RelationalJoinTable,
  schema: DatabaseSchema,
): readonly string[] {
  const relation = `relation '${field.name}' of the model '${model.name}'`
  const table = findTable(schema, name)
  if (!table) return [`The join table '${nameText(name)}' of the ${relation} does not exist.`]
  const faults = [owner, target].flatMap((column) =>
    compareColumn(engine, table, column, 'id', { field: relation, isRequired: false }),
  )
  if (faults.length > 0) return faults
  const keys = uniqueKeysOver(table, [owner, target])
  const deferrable = keys.find(({ isDeferrable }) => isDeferrable)
  if (deferrable)
    return [
      `The key '${deferrable.name}' of '${table.name}' is deferrable, so the ${relation} cannot be written. Add the key without 'deferrable'.`,
    ]
  if (keys.length > 0) return []
  return [
    `No primary key and no unique index is over the columns '${owner}' and '${target}' of '${table.name}', so the ${relation} could hold an id twice.`,
  ]
}

function nameText({ schema, name }: TableName): string {
  return schema === undefined ? name : `${schema}.${name}`
}
