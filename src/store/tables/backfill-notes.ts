import type { ValueField } from '../../model/model-description.ts'
import type { TableName } from '../../model/storage.ts'
import { type BackfillField, backfillFields } from '../backfill.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { textLiteral } from '../sql/text-literal.ts'
import type { Engine } from './engine.ts'
import { formerColumns, formerTablesOf } from './plan/former-names.ts'
import { hasDefault } from './plan/table-steps.ts'
import type { Database } from './read-database.ts'
import { columnOf, type RelationalColumn, type RelationalLayout } from './relational-layout.ts'
import {
  type ColumnSchema,
  findColumn,
  findTable,
  type TableSchema,
} from './schema/database-schema.ts'
import { addSetting, type Settings, settingsTable } from './settings-table.ts'

/** The fields that no start has filled in yet, or that rows may lack nevertheless. */
function pendingBackfills(
  engine: Engine,
  layout: RelationalLayout,
  table: TableSchema,
  settings: Settings,
): readonly BackfillField[] {
  return backfillFields(layout.model).filter((field) => {
    const column = columnOf(layout, field)
    const isDone = settings.has(backfillKey(engine, layout.table, column.name))
    return !isDone || mayLack(column, findColumn(table, column.name))
  })
}

/** May rows have no value that the model requires? Processes of an older version add such rows. */
function mayLack({ isRequired }: RelationalColumn, existing: ColumnSchema | undefined): boolean {
  return isRequired && existing?.isNullable === true
}

/** The fields whose columns a start fills in: with their backfill, or with their default. */
export function filledFields(
  engine: Engine,
  layout: RelationalLayout,
  table: TableSchema,
  settings: Settings,
): readonly ValueField[] {
  const backfills = pendingBackfills(engine, layout, table, settings)
  const lacking = layout.columns.flatMap((column) => {
    const { field, name } = column
    if (field.kind !== 'value' || field.backfill || !hasDefault(field)) return []
    return mayLack(column, findColumn(table, name)) ? [field] : []
  })
  return [...backfills, ...lacking]
}

/** The fields that a start fills in, under their names or under former ones (`was`). */
export function plannedBackfills(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  { schema, settings }: Database,
): readonly BackfillField[] {
  const declared = new Set(layouts.map(({ table }) => engine.quoteTable(table)))
  return layouts.flatMap((layout) => {
    const formerTables = formerTablesOf([layout], engine.maxNameBytes).filter(
      (table) => !declared.has(engine.quoteTable(table)),
    )
    const tables = [layout.table, ...formerTables]
    const existing = tables.flatMap((table) => findTable(schema, table) ?? [])[0]
    const isDone = (column: string) =>
      tables.some((table) => settings.has(backfillKey(engine, table, column)))
    return backfillFields(layout.model).filter((field) => {
      const column = columnOf(layout, field)
      const names = [column.name, ...formerColumns(layout, column, engine.maxNameBytes)]
      const [present] = names.flatMap((name) => (existing && findColumn(existing, name)) ?? [])
      return !names.some(isDone) || mayLack(column, present)
    })
  })
}

/** Moves the notes of a table that is renamed. It is text, so that a printed plan has it too. */
export function moveBackfillNotes(
  engine: Engine,
  from: TableName,
  to: TableName,
): readonly string[] {
  const [before, after] = [from, to].map((table) => textLiteral(backfillKey(engine, table, '')))
  const settings = engine.quoteTable(settingsTable)
  return [
    `delete from ${settings} where substr(key, 1, length(${after})) = ${after}`,
    `update ${settings} set key = ${after} || substr(key, length(${before}) + 1) where substr(key, 1, length(${before})) = ${before}`,
  ]
}

/** Moves the note of a column that is renamed. */
export function moveBackfillNote(
  engine: Engine,
  table: TableName,
  from: string,
  to: string,
): readonly string[] {
  const [before, after] = [from, to].map((column) =>
    textLiteral(backfillKey(engine, table, column)),
  )
  const settings = engine.quoteTable(settingsTable)
  return [
    `delete from ${settings} where key = ${after}`,
    `update ${settings} set key = ${after} where key = ${before}`,
  ]
}

/** A field that gets a new column has no values there, and is filled in again. */
export function forgetBackfill(engine: Engine, table: TableName, column: string): string {
  return `delete from ${engine.quoteTable(settingsTable)} where key = ${textLiteral(backfillKey(engine, table, column))}`
}

/** Notes that fields are filled in; they stay. */
export function noteBackfills(
  engine: Engine,
  layout: RelationalLayout,
  fields: readonly BackfillField[],
): readonly Statement[] {
  return fields.map((field) =>
    addSetting(engine, backfillKey(engine, layout.table, columnOf(layout, field).name), 'done'),
  )
}

function backfillKey({ quoteTable }: Engine, table: TableName, column: string): string {
  return `backfill of ${quoteTable(table)}.${column}`
}
