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
  return abandonedColumns(layout, existing).map((column) => ({
    kind: 'never',
    summary: `Drop the column '${column.name}' of '${layout.table.name}', which no field of the model '${layout.model.name}' has.${effectOfNotNull(engine, column)}${effectOfForeignKey(existing, column.name)}`,
    sql: [
      `alter table ${engine.quoteTable(layout.table)} drop column ${engine.dialect.quote(column.name)}`,
    ],
  }))
}

/** Engines that cannot change a column leave it required. */
function effectOfNotNull(
  { constraints }: Engine,
  { isNullable, default: value }: ColumnSchema,
): string {
  if (constraints === 'separate' || isNullable || value !== undefined) return ''
  return ' Until then each new item is refused, because the column requires a value.'
}

/** The key of a relation that the model had before still holds. */
function effectOfForeignKey({ foreignKeys }: TableSchema, column: string): string {
  const targets = foreignKeys
    .filter(({ columns }) => columns.includes(column))
    .map(({ target }) => `'${target.name}'`)
  if (targets.length === 0) return ''
  return ` Until then its foreign key keeps items in ${targets.join(' and ')} from being deleted.`
}

/** Unique indexes of fields that were unique before: they refuse values as before. */
export function abandonedIndexSteps(
  { quoteTable }: Engine,
  layout: RelationalLayout,
  existing: TableSchema | undefined,
): readonly SchemaStep[] {
  if (!existing) return []
  const { table, model, columns, indexes } = layout
  const unique = indexes.filter(({ isUnique }) => isUnique)
  // The schema of a database does not tell the columns of an expression, but the name tells them.
  const candidates = [
    ...existing.uniqueKeys.map((key) => ({ name: key.name, columns: key.columns })),
    ...existing.indexes
      .filter((index) => index.isUnique && index.predicate === undefined)
      .map(({ name }) => ({
        name,
        columns: columns
          .map((column) => column.name)
          .filter((column) => name === `${table.name}_${column}_key`),
      })),
  ]
  return candidates
    .filter(
      (candidate) =>
        candidate.columns.length === 1 &&
        columns.some((column) => column.name === candidate.columns[0]) &&
        !unique.some(({ keys }) => keys[0]!.column.name === candidate.columns[0]),
    )
    .map(({ name, columns: [column] }) => ({
      kind: 'never',
      summary: `Drop the unique index '${name}' over '${column}' of '${table.name}', which is not unique in the model '${model.name}'. Until then a value that another item has is 409.`,
      sql: [`drop index ${quoteTable({ schema: table.schema, name })}`],
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
