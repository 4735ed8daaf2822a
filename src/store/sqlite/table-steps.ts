import type { ColumnLayout } from '../sql/column-layout.ts'
import type { JoinTableLayout, TableLayout } from '../sql/layout.ts'
import type { PlanStep } from '../store-plan.ts'
import type { Connection } from './connection.ts'
import { jsonPathSql, quoteIdentifier } from './dialect.ts'
import { hasTable } from './has-table.ts'
import { printedName } from './printed-name.ts'
import { countRows } from './run-statement.ts'

/** A step that a start takes. */
export type TableStep = Extract<PlanStep, { kind: 'instant' | 'online' | 'rewrite' | 'never' }>

/**
 * The tables and columns that are missing, and the indexes that the model no longer has.
 * @param present the layout with the names that the tables have in the file
 */
export function tableSteps(
  connection: Connection,
  layout: TableLayout,
  present: TableLayout = layout,
): readonly TableStep[] {
  const existing = existingColumns(connection, present.name)
  return [
    ...(existing.size === 0 ? [newTable(layout)] : missingColumns(layout, existing)),
    ...superfluousIndexes(connection, layout),
    ...layout.joinTables
      .filter((_, index) => !hasTable(connection, present.joinTables[index]!.name))
      .map((joinTable) => newJoinTable(layout, joinTable, existing.size === 0)),
  ]
}

/** The indexes that are missing. */
export function indexSteps(
  connection: Connection,
  layout: TableLayout,
  present: TableLayout = layout,
): readonly TableStep[] {
  const existing = existingIndexes(connection, layout.name)
  const isNew = !hasTable(connection, present.name)
  return layout.indexes
    .filter(({ name }) => !existing.has(name))
    .map(({ name, definition }) => {
      const step = { summary: `Create the index '${printedName(name)}'.`, sql: [definition] }
      return isNew
        ? { kind: 'instant', ...step }
        : { kind: 'online', ...step, itemCount: countRows(connection, present.name) }
    })
}

export function existingColumns(connection: Connection, table: string): ReadonlySet<unknown> {
  const rows = connection.prepare('select name from pragma_table_xinfo(?)').all([table])
  return new Set(rows.map(([name]) => name))
}

export function existingIndexes(connection: Connection, table: string): ReadonlySet<string> {
  const rows = connection
    .prepare("select name from sqlite_schema where type = 'index' and tbl_name = ?")
    .all([table])
  return new Set(rows.map(([name]) => name as string))
}

/**
 * Without a rowid, rows are in the tree of the primary key, which lists scan; this suits rows of a
 * few hundred bytes. Stored columns come before the text, so that SQLite reads them without the
 * text. Writes set them: with generated columns, each update writes the entries of all indexes.
 */
function newTable({ name, columns }: TableLayout): TableStep {
  const stored = columns
    .filter((column) => column.isStored)
    .map(({ name: column, type }) => `${quoteIdentifier(column)} ${type}, `)
  const virtual = columns
    .filter((column) => !column.isStored)
    .map((column) => `, ${virtualColumn(column)}`)
  const sql =
    `create table ${quoteIdentifier(name)} (id text primary key not null, ${stored.join('')}text text not null, split integer not null, ` +
    `hidden text, hash text, revision integer not null${virtual.join('')}) without rowid`
  return { kind: 'instant', summary: `Create the table '${printedName(name)}'.`, sql: [sql] }
}

function missingColumns(
  { name: table, columns }: TableLayout,
  existing: ReadonlySet<unknown>,
): readonly TableStep[] {
  return columns
    .filter(({ name }) => !existing.has(name))
    .map((column) => ({
      kind: 'instant',
      summary: `Add the column '${printedName(column.name)}' to '${printedName(table)}'.`,
      sql: [`alter table ${quoteIdentifier(table)} add column ${virtualColumn(column)}`],
    }))
}

function virtualColumn({ name, type, source, valueIn }: ColumnLayout): string {
  return `${quoteIdentifier(name)} ${type} generated always as ${valueIn(quoteIdentifier(source))} virtual`
}

/**
 * Every index costs each write. Indexes whose names do not begin as those of layouts do were made
 * by somebody else, and stay.
 */
function superfluousIndexes(
  connection: Connection,
  { name: table, indexes }: TableLayout,
): readonly TableStep[] {
  const needed = new Set<unknown>(indexes.map(({ name }) => name))
  return [...existingIndexes(connection, table)]
    .filter((name) => name.startsWith(`${table}(`) && !needed.has(name))
    .map((name) => ({
      kind: 'instant',
      summary: `Drop the index '${printedName(name)}', which the model does not have any more.`,
      sql: [`drop index ${quoteIdentifier(name)}`],
    }))
}

/** @param isEmpty has the table of the items no rows, because it is new? */
function newJoinTable(
  { name }: TableLayout,
  joinTable: JoinTableLayout,
  isEmpty: boolean,
): TableStep {
  const table = quoteIdentifier(joinTable.name)
  const createSql = `create table ${table} (owner text not null, target text not null, primary key (owner, target)) without rowid`
  if (isEmpty)
    return {
      kind: 'instant',
      summary: `Create the join table '${printedName(joinTable.name)}'.`,
      sql: [createSql, joinTable.indexDefinition],
    }
  return {
    kind: 'rewrite',
    summary: `Create the join table '${printedName(joinTable.name)}', and fill it from the items.`,
    sql: [
      createSql,
      `insert or ignore into ${table} (owner, target) select i.id, m.value from ${quoteIdentifier(name)} i, ` +
        `json_each(i.text, ${jsonPathSql([joinTable.table.field.wireName])}) m where m.type = 'text'`,
      joinTable.indexDefinition,
    ],
  }
}
