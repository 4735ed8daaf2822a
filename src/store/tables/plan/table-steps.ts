import { hasConstantDefault } from '../../../model/constant-default.ts'
import { isDerivedField } from '../../../model/model-description.ts'
import { capitalize } from '../../../text/message-text.ts'
import { textLiteral } from '../../sql/text-literal.ts'
import type { ColumnType } from '../column-type.ts'
import type { Engine } from '../engine.ts'
import {
  type ColumnField,
  digitsOf,
  type RelationalColumn,
  type RelationalLayout,
  randomVersionColumn,
} from '../relational-layout.ts'
import { type ColumnSchema, findColumn, type TableSchema } from '../schema/database-schema.ts'
import { type DatabaseType, typeText, withoutDomains } from '../schema/database-type.ts'
import { noteTableSql } from '../settings-table.ts'
import { abandonedColumns } from './abandoned-steps.ts'
import {
  columnDefinition,
  indexDefinition,
  type PlanContext,
  versionColumnDefinition,
} from './column-definition.ts'
import { holdsAllValues } from './holds-all-values.ts'
import { indexSteps } from './index-steps.ts'
import { newExclusionsSql, rangeSteps } from './range-steps.ts'
import type { SchemaStep } from './schema-step.ts'
import { newWordIndexSql, wordIndexSteps } from './word-index-steps.ts'

/** A table that does not exist yet, with its indexes. */
export function newTableStep(context: PlanContext, layout: RelationalLayout): SchemaStep {
  const { table, model } = layout
  return {
    kind: 'instant',
    summary: `Create the table '${table.name}' of the model '${model.name}'.`,
    sql: [
      ...newTableSql(context, layout),
      ...newWordIndexSql(context.engine, layout, context.schema),
      noteTableSql(context.engine, table),
    ],
  }
}

export function newTableSql(context: PlanContext, layout: RelationalLayout): readonly string[] {
  const { engine } = context
  const { quote } = engine.dialect
  const { table, key, columns, indexes, primaryKey } = layout
  const definitions = [
    // Not every engine requires it of the columns of a primary key.
    `${quote(key[0]!)} ${engine.codecs.id.sql} not null`,
    ...columns.map((column) => newColumnDefinition(context, layout, column)),
    ...versionColumnDefinition(engine, layout),
    `constraint ${quote(primaryKey)} primary key (${quote(key[0]!)})`,
  ]
  return [
    `create table ${engine.quoteTable(table)} (${definitions.join(', ')})${engine.tableOptions}`,
    ...indexes.map((index) => indexDefinition(engine, layout, index)),
    ...newExclusionsSql(engine, layout),
  ]
}

/** With a default, a later version without the field can add rows, and this one read them. */
function newColumnDefinition(
  context: PlanContext,
  layout: RelationalLayout,
  column: RelationalColumn,
): string {
  const definition = columnDefinition(context, layout, column)
  const { field, type } = column
  const value = context.defaults.get(field)
  const isConstant = field.kind === 'value' && hasConstantDefault(field)
  return isConstant && value !== undefined && value !== null
    ? `${definition} ${defaultSql(context.engine, type, value)}`
    : definition
}

function defaultSql({ codecs }: Engine, type: ColumnType, value: unknown): string {
  return `default ${textLiteral(String(codecs[type].encode(value)))}`
}

/** Has the schema a default, which is not asynchronous? */
export function hasDefault(field: ColumnField): boolean {
  return (
    field.kind === 'value' &&
    field.isRequiredInResponse &&
    !field.isRequiredInRequest &&
    !isDerivedField(field)
  )
}

/** What a table that exists lacks. Nothing is dropped, narrowed or rewritten. */
export function tableSteps(
  context: PlanContext,
  layout: RelationalLayout,
  existing: TableSchema,
): readonly SchemaStep[] {
  const { engine } = context
  const table = engine.quoteTable(layout.table)
  const columns = layout.columns.flatMap((column) => {
    const existingColumn = findColumn(existing, column.name)
    return existingColumn
      ? changeColumn(context, layout, column, existingColumn)
      : [addColumn(context, layout, column)]
  })
  const version = findColumn(existing, randomVersionColumn)
    ? []
    : versionColumnDefinition(engine, layout).map(
        (definition): SchemaStep => ({
          kind: 'instant',
          summary: `Add the column '${randomVersionColumn}' to '${layout.table.name}'.`,
          sql: [`alter table ${table} add column ${definition}`],
        }),
      )
  return [
    ...columns,
    ...version,
    ...freeAbandonedColumns(engine, layout, existing),
    ...indexSteps(context, layout, existing),
    ...rangeSteps(engine, layout, existing),
    ...wordIndexSteps(engine, layout, existing, context.schema),
  ]
}

/**
 * Items that exist get the default of the schema, as a constant that needs no rewrite of the table.
 * Without a default the column is nullable until all rows have a value.
 */
function addColumn(
  context: PlanContext,
  layout: RelationalLayout,
  column: RelationalColumn,
): SchemaStep {
  const { engine, defaults } = context
  const { field, name, type } = column
  const table = engine.quoteTable(layout.table)
  const summary = `Add the column '${name}' to '${layout.table.name}'.`
  const value = defaults.get(field)
  if (value === undefined || value === null) {
    const definition = columnDefinition(context, layout, { ...column, isRequired: false })
    const sql = [`alter table ${table} add column ${definition}`]
    if (context.backfills.has(field))
      return {
        kind: 'backfill',
        source: 'function',
        summary,
        sql,
        lacking: { layout, column, rows: 'all' },
      }
    return column.isRequired
      ? { kind: 'requires', summary, sql, lacking: { layout, column, rows: 'all' } }
      : { kind: 'instant', summary, sql }
  }
  const definition = columnDefinition(context, layout, column)
  // The column keeps its default: processes of the old version add rows without it.
  const sql = [`alter table ${table} add column ${definition} ${defaultSql(engine, type, value)}`]
  return { kind: 'instant', summary, sql }
}

function changeColumn(
  { engine, backfills, madeAgain, defaults }: PlanContext,
  layout: RelationalLayout,
  column: RelationalColumn,
  existing: ColumnSchema,
): readonly SchemaStep[] {
  const { type, isNullable, default: columnDefault } = existing
  const { field, name, isRequired } = column
  const subject = `the column '${name}' of '${layout.table.name}'`
  if (!holdsAllValues(engine, column.type, type) || !holdsDigits(column, type)) {
    const statement = `${capitalize(subject)} has the type ${typeText(type)}, which cannot hold all values of the field '${field.name}' of the model '${layout.model.name}'`
    const summary =
      field.kind === 'value' && field.computed
        ? `${statement}. Give the field another name, under which a start computes it. The old column stays until you drop it, and 'resourcery plan' says what it does until then.`
        : `${statement}. Add a field with another name, and let its option 'backfill' make the values from the old ones.`
    return [{ kind: 'refused', summary }]
  }
  if (madeAgain.has(field) || (isNullable && backfills.has(field))) {
    const summary = `Fill in the column '${name}' of '${layout.table.name}'.`
    const rows = madeAgain.has(field) ? 'all' : 'withoutValue'
    const lacking = { layout, column, rows } as const
    return [{ kind: 'backfill', source: 'function', summary, sql: [], lacking }]
  }
  const value = defaults.get(field) ?? null
  if (isRequired && isNullable && hasDefault(field) && value !== null) {
    const table = engine.quoteTable(layout.table)
    const setDefault = `alter table ${table} alter column ${engine.dialect.quote(name)} set ${defaultSql(engine, column.type, value)}`
    // So a version without the field adds no further rows that lack it.
    const isSet = engine.constraints === 'inTable' || columnDefault !== undefined
    return [
      {
        kind: 'backfill',
        source: 'default',
        summary: `Give the column '${name}' of '${layout.table.name}' its default.`,
        sql: isSet ? [] : [setDefault],
        lacking: { layout, column, rows: 'withoutValue' },
      },
    ]
  }
  if (isRequired && isNullable) {
    const summary = `The model '${layout.model.name}' requires a value for '${field.name}', and ${subject} may have none.`
    return [
      { kind: 'requires', summary, sql: [], lacking: { layout, column, rows: 'withoutValue' } },
    ]
  }
  if (isRequired || isNullable) return []
  return allowNull(engine, layout, existing, `Allow NULL in ${subject}.`)
}

/** With another scale, the column would round values, or have more digits than the field. */
function holdsDigits({ field }: RelationalColumn, type: DatabaseType): boolean {
  const digits = digitsOf(field)
  const base = withoutDomains(type)
  if (!digits || base.kind !== 'base' || base.precision === undefined) return true
  return base.scale === digits.scale && base.precision >= digits.precision
}

/** Columns of fields that the model had before: a new row has no value for them. */
function freeAbandonedColumns(
  engine: Engine,
  layout: RelationalLayout,
  existing: TableSchema,
): readonly SchemaStep[] {
  return abandonedColumns(layout, existing)
    .filter(
      ({ isNullable, default: value, generated }) =>
        !isNullable && value === undefined && generated === 'never',
    )
    .flatMap((column) =>
      allowNull(
        engine,
        layout,
        column,
        `Allow NULL in the column '${column.name}' of '${layout.table.name}', which the model does not have any more.`,
      ),
    )
}

function allowNull(
  engine: Engine,
  layout: RelationalLayout,
  column: ColumnSchema,
  summary: string,
): readonly SchemaStep[] {
  const sql = engine.allowNull(layout.table, column)
  return sql ? [{ kind: 'instant', summary, sql }] : []
}
