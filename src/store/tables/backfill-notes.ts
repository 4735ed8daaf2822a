import { isDerivedField, type ValueField } from '../../model/model-description.ts'
import type { TableName } from '../../model/storage.ts'
import { type FilledField, filledByFunction, isFilledByFunction } from '../backfill.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { textLiteral } from '../sql/text-literal.ts'
import type { Engine } from './engine.ts'
import { formerColumns, formerTablesOf } from './plan/former-names.ts'
import { hasDefault } from './plan/table-steps.ts'
import type { Database } from './read-database.ts'
import {
  type ColumnField,
  columnOf,
  type RelationalColumn,
  type RelationalLayout,
} from './relational-layout.ts'
import {
  type ColumnSchema,
  findColumn,
  findTable,
  type TableSchema,
} from './schema/database-schema.ts'
import { type Settings, settingsTable, writeSetting } from './settings-table.ts'

/** The fields that no start has filled in yet, or that rows may lack nevertheless. */
function pendingBackfills(
  engine: Engine,
  layout: RelationalLayout,
  table: TableSchema,
  settings: Settings,
): readonly FilledField[] {
  return filledByFunction(layout.model).filter((field) => {
    const column = columnOf(layout, field)
    const key = backfillKey(engine, layout.table, column.name)
    return !isDone(settings, key, field) || mayLack(column, findColumn(table, column.name))
  })
}

/** A backfill is done once; what is computed, once with this version of its function. */
function isDone(settings: Settings, key: string, field: ValueField): boolean {
  return isDerivedField(field) ? settings.get(key) === doneNote(field) : settings.has(key)
}

const versionNote = 'version '

function doneNote(field: ValueField): string {
  return isDerivedField(field) ? `${versionNote}${field.computed.version}` : 'done'
}

/** Is the value of each row made again, because the function is another one than before? */
export function isMadeAgain(
  engine: Engine,
  layout: RelationalLayout,
  settings: Settings,
  field: ValueField,
): boolean {
  const key = backfillKey(engine, layout.table, columnOf(layout, field).name)
  return isDerivedField(field) && !isDone(settings, key, field)
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
    if (field.kind !== 'value' || isFilledByFunction(field) || !hasDefault(field)) return []
    return mayLack(column, findColumn(table, name)) ? [field] : []
  })
  return [...backfills, ...lacking]
}

/** What a start fills in by functions. */
interface PlannedFields {
  readonly backfills: ReadonlySet<ColumnField>
  /** Those of them whose value every row gets anew. */
  readonly madeAgain: ReadonlySet<ColumnField>
}

/** The fields that a start fills in, under their names or under former ones (`was`). */
export function plannedBackfills(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  { schema, settings }: Database,
): PlannedFields {
  const madeAgain = new Set<FilledField>()
  const declared = new Set(layouts.map(({ table }) => engine.quoteTable(table)))
  const backfills = layouts.flatMap((layout) => {
    const formerTables = formerTablesOf([layout], engine.maxNameBytes).filter(
      (table) => !declared.has(engine.quoteTable(table)),
    )
    const tables = [layout.table, ...formerTables]
    const existing = tables.flatMap((table) => findTable(schema, table) ?? [])[0]
    return filledByFunction(layout.model).filter((field) => {
      const column = columnOf(layout, field)
      const names = [column.name, ...formerColumns(layout, column, engine.maxNameBytes)]
      const [present] = names.flatMap((name) => (existing && findColumn(existing, name)) ?? [])
      const isFilled = names.some((name) =>
        tables.some((table) => isDone(settings, backfillKey(engine, table, name), field)),
      )
      if (!isFilled && isDerivedField(field)) madeAgain.add(field)
      return !isFilled || mayLack(column, present)
    })
  })
  return { backfills: new Set(backfills), madeAgain }
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
  fields: readonly FilledField[],
): readonly Statement[] {
  return fields.map((field) =>
    writeSetting(
      engine,
      backfillKey(engine, layout.table, columnOf(layout, field).name),
      doneNote(field),
    ),
  )
}

/**
 * What is computed follows its sources only while the model has it: a field that comes back is
 * computed again.
 */
export function forgetFormerVersions(
  engine: Engine,
  { table, columns }: RelationalLayout,
  settings: Settings,
): readonly Statement[] {
  const prefix = backfillKey(engine, table, '')
  const names = new Set(columns.map(({ name }) => name))
  return [...settings]
    .filter(([key, note]) => key.startsWith(prefix) && note.startsWith(versionNote))
    .map(([key]) => key.slice(prefix.length))
    .filter((name) => !names.has(name))
    .map((name) => ({ sql: forgetBackfill(engine, table, name), parameters: [] }))
}

function backfillKey({ quoteTable }: Engine, table: TableName, column: string): string {
  return `backfill of ${quoteTable(table)}.${column}`
}
