import type { ModelDescription } from '../../model/model-description.ts'
import type { TableName } from '../../model/storage.ts'
import { defaultValueOf } from '../../stored-item/migrate-item.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Engine } from './engine.ts'
import { positionColumn } from './item-table.ts'
import {
  foreignKeyName,
  type RelationalColumn,
  type RelationalIndex,
  type RelationalJoinTable,
  type RelationalLayout,
  randomVersionColumn,
} from './relational-layout.ts'
import {
  constraintNames,
  type DatabaseSchema,
  findColumn,
  findTable,
} from './schema/database-schema.ts'
import { claimTables } from './settings-table.ts'
import { shortName } from './short-name.ts'
import type { SqlSession } from './sql-database.ts'

export interface ManageOptions {
  /** The layouts of the models that items relate to. */
  layoutOf(model: ModelDescription): RelationalLayout
  readonly addsForeignKeys: boolean
}

/**
 * Adds missing tables, columns, indexes and constraints. Drops, narrows and rewrites nothing. Call
 * it in a transaction.
 *
 * @throws RegistrationError for a table that the store did not make
 */
export async function manageTables(
  engine: Engine,
  session: SqlSession,
  layouts: readonly RelationalLayout[],
  options: ManageOptions,
): Promise<void> {
  const tables = tablesOf(layouts)
  const schema = await engine.readSchema(session, { kind: 'tables', names: tables })
  await claimTables(engine, session, schema, tables)
  const statements: string[] = []
  for (const layout of layouts)
    statements.push(...(await tableStatements(engine, schema, layout, options)))
  for (const layout of layouts) {
    for (const joinTable of layout.joinTables)
      statements.push(...joinTableStatements(engine, schema, layout, joinTable, options))
    if (options.addsForeignKeys && engine.constraints === 'separate')
      statements.push(...foreignKeyStatements(engine, schema, layout, options))
  }
  if (statements.length > 0) await session.run(statements.map(toStatement))
}

/** All tables of models. */
export function tablesOf(layouts: readonly RelationalLayout[]): readonly TableName[] {
  return layouts.flatMap(({ table, joinTables }) => [
    table,
    ...joinTables.map((joinTable) => joinTable.table),
  ])
}

function toStatement(sql: string): Statement {
  return { sql, parameters: [] }
}

async function tableStatements(
  engine: Engine,
  schema: DatabaseSchema,
  layout: RelationalLayout,
  options: ManageOptions,
): Promise<readonly string[]> {
  const { quote } = engine.dialect
  const table = engine.quoteTable(layout.table)
  const existing = findTable(schema, layout.table)
  const names = existing && constraintNames(existing)
  const indexes = layout.indexes
    .filter(({ name }) => !names?.has(name))
    .map((index) => indexDefinition(engine, layout, index))
  if (!existing) {
    const columns = [
      ...layout.columns.map((column) => columnDefinition(engine, layout, column, options)),
      ...versionColumn(engine, layout),
    ]
    // Not every engine requires it of the columns of a primary key.
    const key = `${quote(layout.key)} ${engine.codecs.text.sql} not null`
    const primaryKey = `constraint ${quote(layout.constraints.primaryKey)} primary key (${quote(layout.key)})`
    return [
      `create table ${table} (${[key, ...columns, primaryKey].join(', ')})${engine.tableOptions}`,
      ...indexes,
    ]
  }
  const added: string[] = []
  for (const column of layout.columns)
    if (!findColumn(existing, column.name))
      added.push(...(await addColumn(engine, layout, column, options)))
  if (!findColumn(existing, randomVersionColumn))
    added.push(
      ...versionColumn(engine, layout).map((column) => `alter table ${table} add column ${column}`),
    )
  return [...added, ...indexes]
}

/** Rows that other programs add have none. */
function versionColumn({ dialect, codecs }: Engine, { version }: RelationalLayout): string[] {
  return version.kind === 'random' ? [`${dialect.quote(version.column)} ${codecs.text.sql}`] : []
}

function columnDefinition(
  engine: Engine,
  layout: RelationalLayout,
  column: RelationalColumn,
  options: ManageOptions,
): string {
  const { dialect, codecs, constraints } = engine
  const notNull = column.isRequired ? ' not null' : ''
  const foreignKey =
    constraints === 'inTable' && options.addsForeignKeys && column.field.kind === 'toOne'
      ? ` constraint ${dialect.quote(foreignKeyName(layout.table.name, column.name, engine.maxNameBytes))} ${references(engine, options.layoutOf(column.field.relatedModel))} ${deferred}`
      : ''
  return `${dialect.quote(column.name)} ${codecs[column.type].sql}${notNull}${foreignKey}`
}

function references(engine: Engine, { table, key }: RelationalLayout): string {
  return `references ${engine.quoteTable(table)} (${engine.dialect.quote(key)})`
}

/**
 * Items that exist get the default of the schema, as a constant that needs no rewrite of the table.
 * Without a default the column stays nullable.
 */
async function addColumn(
  engine: Engine,
  layout: RelationalLayout,
  column: RelationalColumn,
  options: ManageOptions,
): Promise<readonly string[]> {
  const { field, name, type } = column
  const table = engine.quoteTable(layout.table)
  const value = field.kind === 'value' ? await defaultValueOf(field.schema) : undefined
  const isRequired = column.isRequired && value !== undefined && value !== null
  const definition = columnDefinition(engine, layout, { ...column, isRequired }, options)
  if (value === undefined || value === null)
    return [`alter table ${table} add column ${definition}`]
  const literal = `'${String(engine.codecs[type].encode(value)).replaceAll("'", "''")}'`
  const addition = `alter table ${table} add column ${definition} default ${literal}`
  // Where a column cannot be changed, it keeps its default.
  if (engine.constraints === 'inTable') return [addition]
  return [addition, `alter table ${table} alter column ${engine.dialect.quote(name)} drop default`]
}

function indexDefinition(
  engine: Engine,
  { table, key }: RelationalLayout,
  { name, isUnique, keys }: RelationalIndex,
): string {
  const { quote, order } = engine.dialect
  const terms = keys.map(({ column, direction }) =>
    order(engine.codecs[column.type].form.value(quote(column.name)), direction, !column.isRequired),
  )
  // The value of a unique index is unique without the id.
  const last = isUnique ? [] : [order(quote(key), keys.at(-1)!.direction, false)]
  const unique = isUnique ? 'unique ' : ''
  return `create ${unique}index ${quote(name)} on ${engine.quoteTable(table)} (${[...terms, ...last].join(', ')})`
}

/** The rows of a relation are part of the item that has it, and go with it. */
function joinTableStatements(
  engine: Engine,
  schema: DatabaseSchema,
  { table: ownerTable, key }: RelationalLayout,
  { field, table, owner, target, ownerKey, targetKey }: RelationalJoinTable,
  { layoutOf, addsForeignKeys }: ManageOptions,
): readonly string[] {
  if (findTable(schema, table)) return []
  const { quote } = engine.dialect
  const [name, ownerColumn, targetColumn] = [engine.quoteTable(table), quote(owner), quote(target)]
  const related = layoutOf(field.relatedModel)
  const idType = engine.codecs.text.sql
  const foreignKeys = [
    `constraint ${quote(ownerKey)} foreign key (${ownerColumn}) references ${engine.quoteTable(ownerTable)} (${quote(key)}) on delete cascade`,
    `constraint ${quote(targetKey)} foreign key (${targetColumn}) ${references(engine, related)} ${deferred}`,
  ].filter(() => addsForeignKeys)
  const isInTable = engine.constraints === 'inTable'
  const definition = [
    `${ownerColumn} ${idType} not null`,
    `${targetColumn} ${idType} not null`,
    `${quote(positionColumn)} integer`,
    `primary key (${ownerColumn}, ${targetColumn})`,
    ...(isInTable ? foreignKeys : []),
  ]
  const index = shortName(`${table.name}_${target}_${owner}_idx`, engine.maxNameBytes)
  return [
    `create table ${name} (${definition.join(', ')})${engine.tableOptions}`,
    `create index ${quote(index)} on ${name} (${targetColumn}, ${ownerColumn})`,
    ...(isInTable ? [] : foreignKeys.map((foreignKey) => `alter table ${name} add ${foreignKey}`)),
  ]
}

/**
 * Checked at the end of a transaction, because the items that refer to a removed item change after
 * it. The database changes none of them by itself: middleware has to hear of each change.
 */
const deferred = 'deferrable initially deferred'

function foreignKeyStatements(
  engine: Engine,
  schema: DatabaseSchema,
  { table, columns }: RelationalLayout,
  { layoutOf }: ManageOptions,
): readonly string[] {
  const { quote } = engine.dialect
  const existing = findTable(schema, table)
  const names = existing && constraintNames(existing)
  return columns.flatMap(({ field, name: column }) => {
    if (field.kind !== 'toOne') return []
    const name = foreignKeyName(table.name, column, engine.maxNameBytes)
    if (names?.has(name)) return []
    const related = layoutOf(field.relatedModel)
    return [
      `alter table ${engine.quoteTable(table)} add constraint ${quote(name)} foreign key (${quote(column)}) references ${engine.quoteTable(related.table)} (${quote(related.key)}) ${deferred}`,
    ]
  })
}
