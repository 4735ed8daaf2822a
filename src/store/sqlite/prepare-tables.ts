import { truncate } from '../../error/truncate.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import type { ColumnLayout } from '../sql/column-layout.ts'
import { type IndexLayout, indexedColumns } from '../sql/index-layout.ts'
import type { ColumnFacts, JoinTableLayout, TableLayout } from '../sql/layout.ts'
import type { Connection } from './connection.ts'
import { jsonPathSql, quoteIdentifier } from './dialect.ts'
import { resultCodes, sqliteErrorCode } from './sqlite-error.ts'

/** In version 1 the columns of all tables are generated. Such tables stay as they are. */
const layoutVersion = 2
const firstLayoutVersion = 1

/**
 * Adds missing tables, columns and join tables, the last filled from the items. Drops indexes that
 * the models no longer have, and nothing else. Call it inside a transaction, and `addIndexes` once
 * the items are migrated: until then the columns may have values of an older model.
 */
export function prepareTables(connection: Connection, layouts: readonly TableLayout[]): void {
  checkVersion(connection)
  for (const layout of layouts) {
    const existing = existingColumns(connection, layout.name)
    if (existing.size === 0) connection.exec(createTable(layout))
    else {
      for (const column of layout.columns) {
        if (!existing.has(column.name))
          connection.exec(
            `alter table ${quoteIdentifier(layout.name)} add column ${virtualColumn(column)}`,
          )
      }
    }
    dropSuperfluousIndexes(connection, layout)
    for (const joinTable of layout.joinTables) addJoinTable(connection, layout, joinTable)
  }
}

/** @throws RegistrationError if items have the same value in a unique field */
export function addIndexes(connection: Connection, layouts: readonly TableLayout[]): void {
  for (const layout of layouts)
    for (const index of layout.indexes) addIndex(connection, layout, index)
}

/** What the columns of a table are like, after `addIndexes`. */
export function columnFacts(connection: Connection, layout: TableLayout): ColumnFacts {
  return {
    withNulls: columnsWithNulls(connection, layout),
    generated: generatedColumns(connection, layout),
  }
}

/** The columns that writes cannot set. */
export function generatedColumns(
  connection: Connection,
  { name: table }: TableLayout,
): ReadonlySet<string> {
  const rows = connection
    .prepare('select name from pragma_table_xinfo(?) where hidden in (2, 3)')
    .all([table])
  return new Set(rows.map(([name]) => name as string))
}

function columnsWithNulls(connection: Connection, layout: TableLayout): ReadonlySet<string> {
  const required = indexedColumns(layout.indexes).filter((column) => !column.isOptional)
  const withNulls = required.filter(
    (column) => connection.prepare(existsNull(layout, column)).get([])?.[0] === 1,
  )
  return new Set(withNulls.map((column) => column.name))
}

/** Whether a column holds NULL. SQLite would scan another index that has the column as well. */
export function existsNull({ name: table, indexes }: TableLayout, column: ColumnLayout): string {
  const index = indexes.find(({ kind, keys }) => kind === 'nulls' && keys[0]!.column === column)
  const indexedBy = index ? ` indexed by ${quoteIdentifier(index.name)}` : ''
  return `select exists (select 1 from ${quoteIdentifier(table)}${indexedBy} where ${quoteIdentifier(column.name)} is null)`
}

/**
 * The file stores its layout version, so that an older program does not write into a newer file.
 */
function checkVersion(connection: Connection): void {
  connection.exec(
    'create table if not exists "_layout" (key text primary key not null, value) without rowid',
  )
  connection.exec(
    `insert or ignore into "_layout" (key, value) values ('version', ${layoutVersion})`,
  )
  const version = connection
    .prepare(`select value from "_layout" where key = 'version'`)
    .get([])?.[0]
  if (version === layoutVersion) return
  if (version !== firstLayoutVersion) {
    throw new Error(
      `The SQLite file has layout version ${version}; this version of resourcery supports layout versions ${firstLayoutVersion} and ${layoutVersion}.`,
    )
  }
  // New tables in this file have columns that older programs do not set.
  connection.exec(`update "_layout" set value = ${layoutVersion} where key = 'version'`)
}

function existingColumns(connection: Connection, table: string): ReadonlySet<unknown> {
  const rows = connection.prepare('select name from pragma_table_xinfo(?)').all([table])
  return new Set(rows.map(([name]) => name))
}

/**
 * Without a rowid, rows are in the tree of the primary key, which lists scan; this suits rows of a
 * few hundred bytes. Stored columns come before the text, so that SQLite reads them without the
 * text. Writes set them: with generated columns, each update writes the entries of all indexes.
 */
function createTable({ name, columns }: TableLayout): string {
  const stored = columns
    .filter((column) => column.isStored)
    .map(({ name: column, type }) => `${quoteIdentifier(column)} ${type}, `)
  const virtual = columns
    .filter((column) => !column.isStored)
    .map((column) => `, ${virtualColumn(column)}`)
  return (
    `create table ${quoteIdentifier(name)} (id text primary key not null, ${stored.join('')}text text not null, split integer not null, ` +
    `hidden text, hash text, revision integer not null${virtual.join('')}) without rowid`
  )
}

function virtualColumn({ name, type, source, valueIn }: ColumnLayout): string {
  return `${quoteIdentifier(name)} ${type} generated always as ${valueIn(quoteIdentifier(source))} virtual`
}

/**
 * Every index costs each write. Indexes whose names do not begin as those of layouts do were made
 * by somebody else, and stay.
 */
function dropSuperfluousIndexes(
  connection: Connection,
  { name: table, indexes }: TableLayout,
): void {
  const needed = new Set<unknown>(indexes.map(({ name }) => name))
  const existing = connection
    .prepare("select name from sqlite_schema where type = 'index' and tbl_name = ?")
    .all([table])
  for (const [name] of existing as [string][])
    if (name.startsWith(`${table}(`) && !needed.has(name))
      connection.exec(`drop index ${quoteIdentifier(name)}`)
}

function addIndex(
  connection: Connection,
  layout: TableLayout,
  { definition, keys }: IndexLayout,
): void {
  try {
    connection.exec(definition)
  } catch (cause) {
    if (sqliteErrorCode(cause) !== resultCodes.unique) throw cause
    throw duplicateValue(connection, layout, keys[0]!.column, cause)
  }
}

/** The value of a hidden field does not appear in the message. */
function duplicateValue(
  connection: Connection,
  { name: table, model }: TableLayout,
  { name, field }: ColumnLayout,
  cause: unknown,
): RegistrationError {
  const column = quoteIdentifier(name)
  const query = `select ${column}, min(id), max(id) from ${quoteIdentifier(table)} where ${column} is not null group by ${column} having count(*) > 1 limit 1`
  const [value, first, last] = connection.prepare(query).get([]) ?? []
  const isPublic = field.kind !== 'value' || isShown(field)
  const sharedValue = isPublic ? `the value '${truncate(String(value))}'` : 'the same value'
  return new RegistrationError(
    `The field '${field.name}' of the model '${model.name}' is unique, but the items '${first}' and '${last}' both have ${sharedValue}.`,
    { cause },
  )
}

function addJoinTable(
  connection: Connection,
  { name }: TableLayout,
  joinTable: JoinTableLayout,
): void {
  if (existingColumns(connection, joinTable.name).size > 0) return
  connection.exec(
    `create table ${quoteIdentifier(joinTable.name)} (owner text not null, target text not null, primary key (owner, target)) without rowid`,
  )
  connection.exec(
    `insert or ignore into ${quoteIdentifier(joinTable.name)} (owner, target) select i.id, m.value from ${quoteIdentifier(name)} i, ` +
      `json_each(i.text, ${jsonPathSql([joinTable.table.field.wireName])}) m where m.type = 'text'`,
  )
  connection.exec(joinTable.indexDefinition)
}
