import { joinWords } from '../../../text/message-text.ts'
import type { Engine } from '../engine.ts'
import { type RelationalLayout, randomVersionColumn } from '../relational-layout.ts'
import { areSameColumns, type ColumnSchema, type TableSchema } from '../schema/database-schema.ts'
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
  { isNullable, requiringTriggers, default: value }: ColumnSchema,
): string {
  if (constraints === 'separate' || isNullable || requiringTriggers || value !== undefined)
    return ''
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
  const { table, key, model, columns, indexes } = layout
  const unique = indexes.filter(({ isUnique }) => isUnique)
  const names = new Set(unique.map(({ name }) => name))
  const isPartOf = (candidate: string) => columns.some(({ name }) => name === candidate)
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
    // Only the store names an index by the hash of its condition.
    ...existing.indexes
      .filter(({ name, isUnique }) => isUnique && /_where_[0-9a-f]{8}_key$/.test(name))
      .map((index) => ({
        name: index.name,
        columns: index.keys.flatMap(({ column }) => column ?? []),
        isPartial: true,
      })),
  ]
  return candidates
    .filter(
      (candidate) =>
        candidate.columns.length > 0 &&
        candidate.columns.every(isPartOf) &&
        !areSameColumns(candidate.columns, key) &&
        !names.has(candidate.name) &&
        ('isPartial' in candidate ||
          !unique.some(
            ({ keys, where }) =>
              where.length === 0 &&
              areSameColumns(
                keys.map(({ column }) => column.name),
                candidate.columns,
              ),
          )),
    )
    .map(({ name, columns: dropped }) => {
      const text = joinWords(dropped.map((column) => `'${column}'`))
      const [which, effect] =
        dropped.length === 1
          ? ['is not unique', 'a value that another item has is']
          : ['are not unique together', 'values that another item has are']
      return {
        kind: 'never',
        summary: `Drop the unique index '${name}' over ${text} of '${table.name}', which ${which} in the model '${model.name}'. Until then ${effect} ${dropped.length === 1 ? '409' : '422'}.`,
        sql: [`drop index ${quoteTable({ schema: table.schema, name })}`],
      }
    })
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
