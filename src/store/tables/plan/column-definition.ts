import type { ModelDescription } from '../../../model/model-description.ts'
import type { TableName } from '../../../model/storage.ts'
import { conditionSql } from '../../sql/condition-sql.ts'
import type { ColumnCodec } from '../column-type.ts'
import type { Engine } from '../engine.ts'
import {
  type ColumnField,
  digitsOf,
  foreignKeyName,
  type RelationalColumn,
  type RelationalIndex,
  type RelationalLayout,
} from '../relational-layout.ts'
import type { DatabaseSchema } from '../schema/database-schema.ts'

/** What the steps of a plan follow from, besides models and tables. */
export interface PlanContext {
  readonly engine: Engine
  /** What the database has already. */
  readonly schema: DatabaseSchema
  /** The layouts of the models that items relate to. */
  layoutOf(model: ModelDescription): RelationalLayout
  readonly addsForeignKeys: boolean
  /** Did the store make the table? Only such tables are renamed. */
  isOwn(table: TableName): boolean
  /** The defaults of the fields that have one. */
  readonly defaults: ReadonlyMap<ColumnField, unknown>
  /** The fields that a start fills in. */
  readonly backfills: ReadonlySet<ColumnField>
  /** Those of them whose value every row gets anew. */
  readonly madeAgain: ReadonlySet<ColumnField>
  /** May processes of the old version write the column of a field? */
  wasDeclared(layout: RelationalLayout, field: ColumnField): boolean
}

export function columnDefinition(
  { engine, layoutOf, addsForeignKeys }: PlanContext,
  { table }: RelationalLayout,
  { field, name, type, isRequired }: RelationalColumn,
): string {
  const { dialect, codecs, constraints, maxNameBytes } = engine
  const notNull = isRequired ? ' not null' : ''
  const foreignKey =
    constraints === 'inTable' && addsForeignKeys && field.kind === 'toOne'
      ? ` constraint ${dialect.quote(foreignKeyName(table.name, name, maxNameBytes))} ${references(engine, layoutOf(field.relatedModel))} ${deferred}`
      : ''
  return `${dialect.quote(name)} ${columnSql(codecs[type], field)}${notNull}${foreignKey}`
}

function columnSql({ sql, sized }: ColumnCodec, field: ColumnField): string {
  const digits = digitsOf(field)
  return (digits && sized?.(digits)) ?? sql
}

/** Rows that other programs add have none. */
export function versionColumnDefinition(
  { dialect, codecs }: Engine,
  { version }: RelationalLayout,
): readonly string[] {
  return version.kind === 'random' ? [`${dialect.quote(version.column)} ${codecs.text.sql}`] : []
}

export function indexDefinition(
  engine: Engine,
  { table, key }: RelationalLayout,
  { name, isUnique, keys, where }: RelationalIndex,
  option: '' | ' concurrently' = '',
): string {
  const { quote, order } = engine.dialect
  const terms = keys.map(({ column, direction }) =>
    order(engine.codecs[column.type].form.value(quote(column.name)), direction, !column.isRequired),
  )
  // The value of a unique index is unique without the id.
  const last = isUnique ? [] : [order(quote(key[0]!), keys.at(-1)!.direction, false)]
  const unique = isUnique ? 'unique ' : ''
  const conditions = where.map(({ column, value }) =>
    conditionSql(engine.dialect, quote(column.name), value),
  )
  const predicate = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
  return `create ${unique}index${option} ${quote(name)} on ${engine.quoteTable(table)} (${[...terms, ...last].join(', ')})${predicate}`
}

export function references(engine: Engine, { table, key }: RelationalLayout): string {
  return `references ${engine.quoteTable(table)} (${engine.dialect.quote(key[0]!)})`
}

/**
 * Checked at the end of a transaction, because the items that refer to a removed item change after
 * it. The database changes none of them by itself: middleware has to hear of each change.
 */
export const deferred = 'deferrable initially deferred'
