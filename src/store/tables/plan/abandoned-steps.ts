import type { Engine } from '../engine.ts'
import { type RelationalLayout, randomVersionColumn } from '../relational-layout.ts'
import type { ColumnSchema, TableSchema } from '../schema/database-schema.ts'
import { forgetQuotedTableSql } from '../settings-table.ts'
import type { SchemaStep } from './schema-step.ts'

/** The columns that no field has any more. */
export function abandonedColumns(
  layout: RelationalLayout,
  { columns }: TableSchema,
): readonly ColumnSchema[] {
  const { version } = layout
  const modelColumns = new Set([
    ...layout.key,
    randomVersionColumn,
    ...(version.kind === 'none' ? [] : [version.column]),
    ...layout.columns.map(({ name }) => name),
  ])
  return columns.filter(({ name }) => !modelColumns.has(name))
}

/** They keep their values until a person drops them. */
export function abandonedColumnSteps(
  engine: Engine,
  layout: RelationalLayout,
  existing: TableSchema | undefined,
): readonly SchemaStep[] {
  if (!existing) return []
  return abandonedColumns(layout, existing).map(({ name }) => ({
    kind: 'never',
    summary: `Drop the column '${name}' of '${layout.table.name}', which no field of the model '${layout.model.name}' has.`,
    sql: [
      `alter table ${engine.quoteTable(layout.table)} drop column ${engine.dialect.quote(name)}`,
    ],
  }))
}

/** Tables that the store made, and that no model has any more. */
export function abandonedTableSteps(
  engine: Engine,
  quotedTables: readonly string[],
): readonly SchemaStep[] {
  return quotedTables.map((table) => ({
    kind: 'never',
    summary: `Drop the table ${table}, which the store made and which no model has.`,
    sql: [`drop table ${table}`, forgetQuotedTableSql(engine, table)],
  }))
}
