import { truncate } from '../../error/truncate.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import { isShown } from '../../stored-item/create-stored-item.ts'
import type { ColumnLayout } from '../sql/column-layout.ts'
import { conditionSql } from '../sql/condition-sql.ts'
import { type IndexLayout, indexedColumns } from '../sql/index-layout.ts'
import type { ColumnFacts, TableLayout } from '../sql/layout.ts'
import { uniqueSubject } from '../unique-subject.ts'
import type { Connection } from './connection.ts'
import { quoteIdentifier, sqliteDialect } from './dialect.ts'
import { layoutInFile, renameSteps } from './renamed-tables.ts'
import { resultCodes, sqliteErrorCode } from './sqlite-error.ts'
import { tableSteps } from './table-steps.ts'

/** In version 1 the columns of all tables are generated. Such tables stay as they are. */
const layoutVersion = 2
const firstLayoutVersion = 1

/**
 * Adds missing tables, columns and join tables, the last filled from the items. Drops indexes that
 * the models no longer have, and nothing else. Call it inside a transaction, and `addIndexes` once
 * the items are migrated: until then the columns may have values of an older model.
 */
export function prepareTables(connection: Connection, layouts: readonly TableLayout[]): void {
  for (const layout of layouts)
    for (const { sql } of tableSteps(connection, layout))
      for (const statement of sql) connection.exec(statement)
}

/**
 * Gives tables the names of their models, where they have those of a former one (`was`). Call it
 * inside a transaction, before anything reads the tables.
 */
export function renameTables(connection: Connection, layouts: readonly TableLayout[]): void {
  for (const layout of layouts) {
    const present = layoutInFile(connection, layout, layouts)
    for (const { sql } of renameSteps(connection, present, layout))
      for (const statement of sql) connection.exec(statement)
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
 * Call it before the tables are read or changed.
 *
 * @throws Error for another layout version
 */
export function checkVersion(connection: Connection): void {
  connection.exec(
    'create table if not exists "_layout" (key text primary key not null, value) without rowid',
  )
  connection.exec(
    `insert or ignore into "_layout" (key, value) values ('version', ${layoutVersion})`,
  )
  const fault = versionFault(connection)
  if (fault !== undefined) throw new Error(fault)
  // New tables in this file have columns that older programs do not set.
  connection.exec(
    `update "_layout" set value = ${layoutVersion} where key = 'version' and value = ${firstLayoutVersion}`,
  )
}

/** Why the layout version of a file is refused, which has the table `_layout`. */
export function versionFault(connection: Connection): string | undefined {
  const [version] =
    connection.prepare(`select value from "_layout" where key = 'version'`).get([]) ?? []
  if (version === undefined || version === layoutVersion || version === firstLayoutVersion)
    return undefined
  return `The SQLite file has layout version ${version}; this version of resourcery supports layout versions ${firstLayoutVersion} and ${layoutVersion}.`
}

function addIndex(connection: Connection, layout: TableLayout, index: IndexLayout): void {
  try {
    connection.exec(index.definition)
  } catch (cause) {
    const fault =
      sqliteErrorCode(cause) === resultCodes.unique
        ? duplicateFault(connection, layout, index)
        : undefined
    throw fault === undefined ? cause : new RegistrationError(fault, { cause })
  }
}

/**
 * Which items have the same values where they are unique; undefined if no items do. The value of a
 * hidden field does not appear in the message. The table may lack the columns.
 */
export function duplicateFault(
  connection: Connection,
  { name: table, model }: TableLayout,
  { keys, where }: Pick<IndexLayout, 'keys' | 'where'>,
): string | undefined {
  const columns = keys.map(({ column }) => column)
  const names = columns.map((_, index) => `value${index}`)
  const columnValue = ({ source, valueIn }: ColumnLayout) => valueIn(quoteIdentifier(source))
  const expressions = columns.map((column, index) => `${columnValue(column)} as ${names[index]}`)
  const conditions = where.map(({ column, value }) =>
    conditionSql(sqliteDialect, columnValue(column), value),
  )
  const condition = conditions.length === 0 ? '' : ` where ${conditions.join(' and ')}`
  const values = `select ${expressions.join(', ')}, id from ${quoteIdentifier(table)}${condition}`
  const present = names.map((name) => `${name} is not null`).join(' and ')
  const query = `select min(id), max(id), ${names.join(', ')} from (${values}) where ${present} group by ${names.join(', ')} having count(*) > 1 limit 1`
  const row = connection.prepare(query).get([])
  if (!row) return undefined
  const [first, last, value] = row
  const fields = columns.map(({ field }) => field)
  const isPublic = fields.every((field) => field.kind !== 'value' || isShown(field))
  const sharedValue =
    fields.length > 1
      ? 'the same values'
      : isPublic
        ? `the value '${truncate(String(value))}'`
        : 'the same value'
  const subject = uniqueSubject(
    model,
    fields.map((field) => field.name),
  )
  return `${subject}, but the items '${first}' and '${last}' both have ${sharedValue}.`
}
