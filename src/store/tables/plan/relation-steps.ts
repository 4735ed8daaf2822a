import { positionColumn } from '../item-join-table.ts'
import {
  foreignKeyName,
  type RelationalJoinTable,
  type RelationalLayout,
} from '../relational-layout.ts'
import type { TableSchema } from '../schema/database-schema.ts'
import { noteTableSql } from '../settings-table.ts'
import { shortName } from '../short-name.ts'
import { deferred, type PlanContext, references } from './column-definition.ts'
import type { SchemaStep } from './schema-step.ts'

/** The rows of a relation are part of the item that has it, and go with it. */
export function newJoinTableStep(
  { engine, layoutOf, addsForeignKeys }: PlanContext,
  layout: RelationalLayout,
  { field, table, owner, target, ownerKey, targetKey }: RelationalJoinTable,
): SchemaStep {
  const { quote } = engine.dialect
  const [name, ownerColumn, targetColumn] = [engine.quoteTable(table), quote(owner), quote(target)]
  const idType = engine.codecs.id.sql
  const foreignKeys = addsForeignKeys
    ? [
        `constraint ${quote(ownerKey)} foreign key (${ownerColumn}) ${references(engine, layout)} on delete cascade`,
        `constraint ${quote(targetKey)} foreign key (${targetColumn}) ${references(engine, layoutOf(field.relatedModel))} ${deferred}`,
      ]
    : []
  const isInTable = engine.constraints === 'inTable'
  const definitions = [
    `${ownerColumn} ${idType} not null`,
    `${targetColumn} ${idType} not null`,
    `${quote(positionColumn)} integer`,
    `primary key (${ownerColumn}, ${targetColumn})`,
    ...(isInTable ? foreignKeys : []),
  ]
  const index = shortName(`${table.name}_${target}_${owner}_idx`, engine.maxNameBytes)
  return {
    kind: 'instant',
    summary: `Create the join table '${table.name}' of '${layout.model.name}.${field.name}'.`,
    sql: [
      `create table ${name} (${definitions.join(', ')})${engine.tableOptions}`,
      `create index ${quote(index)} on ${name} (${targetColumn}, ${ownerColumn})`,
      ...(isInTable
        ? []
        : foreignKeys.map((foreignKey) => `alter table ${name} add ${foreignKey}`)),
      noteTableSql(engine, table),
    ],
  }
}

/**
 * @param existing undefined for a new table, all of whose keys are checked at once
 */
export function foreignKeySteps(
  { engine, layoutOf, addsForeignKeys }: PlanContext,
  layout: RelationalLayout,
  existing: TableSchema | undefined,
): readonly SchemaStep[] {
  if (!addsForeignKeys || engine.constraints === 'inTable') return []
  const { quote } = engine.dialect
  const table = engine.quoteTable(layout.table)
  return layout.columns.flatMap((relation): readonly SchemaStep[] => {
    const { field, name: column } = relation
    if (field.kind !== 'toOne') return []
    if (existing?.foreignKeys.some(({ columns }) => columns.length === 1 && columns[0] === column))
      return []
    const target = layoutOf(field.relatedModel)
    const name = quote(foreignKeyName(layout.table.name, column, engine.maxNameBytes))
    const add = `alter table ${table} add constraint ${name} foreign key (${quote(column)}) ${references(engine, target)} ${deferred}`
    const summary = `Add a foreign key to the column '${column}' of '${layout.table.name}'.`
    if (!existing) return [{ kind: 'instant', summary, sql: [add] }]
    const onlineSql = [`${add} not valid`, `alter table ${table} validate constraint ${name}`]
    const requires = { kind: 'related', layout, column: relation, target } as const
    return [{ kind: 'online', table: layout.table, summary, onlineSql, sql: [add], requires }]
  })
}
