import type { TableName } from '../../../model/storage.ts'
import type { Engine } from '../engine.ts'
import type { RelationalLayout } from '../relational-layout.ts'
import {
  type DatabaseSchema,
  type ForeignKeySchema,
  findColumn,
  findTable,
} from '../schema/database-schema.ts'
import { quotedNames } from '../settings-table.ts'
import type { PlanContext } from './column-definition.ts'
import { compareJoinTable, compareKey, noVersionColumn } from './compare-tables.ts'
import type { SchemaStep } from './schema-step.ts'

/** What keeps tables of the store from having the form of the models, and no step changes. */
export function refusedSteps(
  context: PlanContext,
  layouts: readonly RelationalLayout[],
  schema: DatabaseSchema,
): readonly SchemaStep[] {
  return [
    ...sharedTables(context.engine, layouts, schema),
    ...layouts.flatMap((layout) => [
      ...unusualKeys(layout),
      ...misfits(context.engine, layout, schema),
      ...otherTargets(context, layout, schema),
    ]),
  ].map((summary) => ({ kind: 'refused', summary }))
}

/** Each model would take the columns of the other for those of fields that it had before. */
function sharedTables(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  schema: DatabaseSchema,
): readonly string[] {
  const owners = new Map<string, string>()
  return layouts
    .flatMap(({ model, table, joinTables }) => [
      { table, owner: `the model '${model.name}'` },
      ...joinTables.map((joinTable) => ({
        table: joinTable.table,
        owner: `the relation '${joinTable.field.name}' of the model '${model.name}'`,
      })),
    ])
    .flatMap(({ table, owner }) => {
      const names = quotedNames(engine, schema, table)
      const other = names.map((name) => owners.get(name)).find((name) => name !== undefined)
      for (const name of names) owners.set(name, owner)
      return other === undefined ? [] : [sharedTable(table, other, owner)]
    })
}

function sharedTable({ name }: TableName, first: string, second: string): string {
  return `The table '${name}' is that of ${first} and of ${second}. Give one of them another, or let the store change no table with { manage: false }.`
}

/** The store makes keys of one column, which no field has. */
function unusualKeys({ model, key, columns }: RelationalLayout): readonly string[] {
  const shared = columns
    .filter(({ name }) => key.includes(name))
    .map(
      ({ name, field }) =>
        `'id' and '${field.name}' of the model '${model.name}' would have the same column '${name}'. Give one of them another with { column: '…' }.`,
    )
  if (key.length === 1) return shared
  return [
    `The model '${model.name}' has a key of ${key.length} columns, and the store makes tables with a key of one column. Make the table yourself, and let the store change no table with { manage: false }.`,
  ]
}

function misfits(
  engine: Engine,
  layout: RelationalLayout,
  schema: DatabaseSchema,
): readonly string[] {
  const { version, columns, joinTables } = layout
  const table = findTable(schema, layout.table)
  const isVersionThere =
    version.kind !== 'named' ||
    columns.some(({ name }) => name === version.column) ||
    (table && findColumn(table, version.column))
  return [
    ...(table ? compareKey(engine, layout, table) : []),
    ...(isVersionThere ? [] : [noVersionColumn(layout, version.column)]),
    ...joinTables
      .filter((joinTable) => findTable(schema, joinTable.table))
      .flatMap((joinTable) => compareJoinTable(engine, layout, joinTable, schema)),
  ]
}

/** The foreign keys of relations that led to another model before. */
function otherTargets(
  { layoutOf }: PlanContext,
  { model, table, columns, joinTables }: RelationalLayout,
  schema: DatabaseSchema,
): readonly string[] {
  const relations = [
    ...columns.flatMap(({ field, name }) =>
      field.kind === 'toOne' ? [{ field, table, column: name }] : [],
    ),
    ...joinTables.map((joinTable) => ({
      field: joinTable.field,
      table: joinTable.table,
      column: joinTable.target,
    })),
  ]
  return relations.flatMap(({ field, table: holder, column }) => {
    const target = layoutOf(field.relatedModel).table
    const expected = findTable(schema, target)
    const isOther = ({ columns: keyColumns, target: existing }: ForeignKeySchema) =>
      keyColumns.length === 1 &&
      keyColumns[0] === column &&
      !(expected && expected.schema === existing.schema && expected.name === existing.name)
    return (findTable(schema, holder)?.foreignKeys ?? [])
      .filter(isOther)
      .map(
        (key) =>
          `The column '${column}' of '${holder.name}' has a foreign key to '${key.target.name}', but '${field.name}' of the model '${model.name}' leads to '${target.name}'. Drop the key '${key.name}', or name another column.`,
      )
  })
}
