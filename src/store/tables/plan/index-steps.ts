import { crc32 } from 'node:zlib'
import type { Engine } from '../engine.ts'
import type { RelationalColumn, RelationalIndex, RelationalLayout } from '../relational-layout.ts'
import {
  areSameColumns,
  constraintNames,
  findColumn,
  type TableSchema,
} from '../schema/database-schema.ts'
import { shortName } from '../short-name.ts'
import { type ComparedColumn, findSameIndex, isKeyOfValue } from '../value-index.ts'
import { indexDefinition, type PlanContext } from './column-definition.ts'
import type { RowRule, SchemaStep } from './schema-step.ts'

/** The indexes that a table which exists lacks. */
export function indexSteps(
  context: PlanContext,
  layout: RelationalLayout,
  existing: TableSchema,
): readonly SchemaStep[] {
  const { engine } = context
  const otherName = ({ name, keys }: RelationalIndex) =>
    valueIndexName(
      engine,
      name,
      keys.map(({ column }) => newColumn(engine)(column)),
    )
  const names = constraintNames(existing)
  const invalid = new Set(
    existing.indexes.filter(({ isValid }) => !isValid).map(({ name }) => name),
  )
  return layout.indexes.flatMap((index): readonly SchemaStep[] => {
    if (hasIndex(engine, existing, index)) return []
    const requires = ruleOf(context, layout, existing, index)
    if (invalid.has(index.name)) return [renewedIndexStep(engine, layout, index, requires)]
    if (isOutdated(engine, existing, index))
      return [indexStep(engine, layout, { ...index, name: otherName(index) }, requires)]
    return names.has(index.name) ? [] : [indexStep(engine, layout, index, requires)]
  })
}

/** An index that was not built to its end serves no query, and refuses no value. */
function renewedIndexStep(
  engine: Engine,
  layout: RelationalLayout,
  index: RelationalIndex,
  requires: RowRule | undefined,
): SchemaStep {
  const { table } = layout
  const name = engine.quoteTable({ schema: table.schema, name: index.name })
  return {
    kind: 'online',
    table,
    summary: `Drop the invalid index '${index.name}' of '${table.name}', and create it again.`,
    onlineSql: [
      `drop index concurrently ${name}`,
      indexDefinition(engine, layout, index, ' concurrently'),
    ],
    sql: [`drop index ${name}`, indexDefinition(engine, layout, index)],
    requires,
  }
}

function indexStep(
  engine: Engine,
  layout: RelationalLayout,
  index: RelationalIndex,
  requires: RowRule | undefined,
): SchemaStep {
  const columns = index.keys.map(({ column }) => `'${column.name}'`).join(', ')
  const sql = [indexDefinition(engine, layout, index)]
  const onlineSql =
    engine.constraints === 'inTable'
      ? sql
      : [indexDefinition(engine, layout, index, ' concurrently')]
  return {
    kind: 'online',
    table: layout.table,
    summary: `Create ${index.isUnique ? 'a unique' : 'an'} index over ${columns} of '${layout.table.name}'.`,
    onlineSql,
    sql,
    requires,
  }
}

/** A new column has its default in all rows, or NULL. */
function ruleOf(
  { defaults }: PlanContext,
  layout: RelationalLayout,
  existing: TableSchema,
  index: RelationalIndex,
): RowRule | undefined {
  const isNew = ({ name }: RelationalColumn) => !findColumn(existing, name)
  const newValue = ({ field }: RelationalColumn) => defaults.get(field) ?? null
  const hasValues = index.keys.every(({ column }) => !isNew(column) || newValue(column) !== null)
  const isAboutRows = index.where.every(
    ({ column, value }) => !isNew(column) || newValue(column) === value,
  )
  return index.isUnique && hasValues && isAboutRows ? { kind: 'unique', layout, index } : undefined
}

/** An index that another name or a former name of the table has. */
function hasIndex(
  engine: Engine,
  existing: TableSchema,
  { isUnique, keys, where }: RelationalIndex,
): boolean {
  // Its name tells the condition.
  if (where.length > 0) return false
  const columns = keys.map(({ column }) => column.name)
  if (isUnique) return existing.uniqueKeys.some((key) => areSameColumns(key.columns, columns))
  return findSameIndex(existing, { keys }, newColumn(engine)) !== undefined
}

/**
 * Is the index of this name over expressions with which other versions compare values? Those go on
 * with it, and this one needs an index of its own.
 */
function isOutdated(
  engine: Engine,
  { indexes }: TableSchema,
  { name, isUnique, keys }: RelationalIndex,
): boolean {
  const index = indexes.find((candidate) => candidate.name === name)
  if (!index || isUnique) return false
  return keys.some(({ column }, position) => {
    const key = index.keys[position]
    const compared = newColumn(engine)(column)
    const isByValue = compared.codec.form.value(compared.sql) !== compared.sql
    return isByValue && key?.column === undefined && !isKeyOfValue(key, compared)
  })
}

/** Indexes that only other versions use. */
export function outdatedIndexSteps(
  engine: Engine,
  { table, indexes }: RelationalLayout,
  existing: TableSchema | undefined,
): readonly SchemaStep[] {
  if (!existing) return []
  return indexes
    .filter((index) => isOutdated(engine, existing, index))
    .map(({ name }) => ({
      kind: 'never',
      summary: `Drop the index '${name}' of '${table.name}', which only processes of an earlier version use.`,
      sql: [`drop index ${engine.quoteTable({ schema: table.schema, name })}`],
    }))
}

/** The name of an index over the values of columns, which differs with their expressions. */
export function valueIndexName(
  { maxNameBytes }: Engine,
  name: string,
  columns: readonly ComparedColumn[],
): string {
  const expressions = columns.map(({ sql, codec }) => codec.form.value(sql))
  const hash = crc32(expressions.join()).toString(16).padStart(8, '0')
  return shortName(`${name}_${hash}`, maxNameBytes)
}

/** A column as the store makes it. */
function newColumn({ codecs, dialect }: Engine): (column: RelationalColumn) => ComparedColumn {
  return ({ name, type }) => ({ sql: dialect.quote(name), codec: codecs[type] })
}
