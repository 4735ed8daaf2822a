import type { TableName } from '../../model/storage.ts'
import type { Statement } from '../sql/statement-cache.ts'
import { textLiteral } from '../sql/text-literal.ts'
import type { Engine, LoggedTable } from './engine.ts'
import { abandonedColumns } from './plan/abandoned-steps.ts'
import { type RelationalLayout, randomVersionColumn } from './relational-layout.ts'
import type { TableSchema } from './schema/database-schema.ts'
import { type Settings, settingsTable, writeSetting } from './settings-table.ts'
import { shortName } from './short-name.ts'

/** What the settings note of a table until its columns are filled in. */
interface FillingNote {
  /** Columns that processes of the old version do not know: what they hold can be made again. */
  readonly added: readonly string[]
}

/** The columns that the start added; undefined if the table is not being filled in. */
export function addedColumns(
  { quoteTable }: Engine,
  settings: Settings,
  table: TableName,
): ReadonlySet<string> | undefined {
  const text = settings.get(fillingKey(quoteTable(table)))
  return text === undefined ? undefined : new Set((JSON.parse(text) as FillingNote).added)
}

/** From now on changes of the old version are noted, so that the start makes their values again. */
export function beginFilling(
  engine: Engine,
  settings: Settings,
  layout: RelationalLayout,
  existing: TableSchema,
  added: readonly string[],
): readonly Statement[] {
  const before = addedColumns(engine, settings, layout.table) ?? []
  const note: FillingNote = { added: [...new Set([...before, ...added])] }
  const former = abandonedColumns(layout, existing).map(({ name }) => name)
  const declared = layout.columns.map(({ name }) => name)
  const isThere = (name: string) => existing.columns.some((column) => column.name === name)
  const columns = [...declared.filter(isThere), ...former].filter(
    (name) => !note.added.includes(name) && name !== randomVersionColumn,
  )
  const key = layout.key[0]!
  const logged: LoggedTable = {
    table: layout.table,
    key,
    // A table of ids alone has no other column, and its rows do not change.
    columns: columns.length > 0 ? columns : [key],
    log: logOf(engine, layout.table, existing),
  }
  return [
    ...engine.changedIds.create(logged).map((sql) => ({ sql, parameters: [] })),
    writeSetting(engine, fillingKey(engine.quoteTable(layout.table)), JSON.stringify(note)),
  ]
}

export function endFilling(
  engine: Engine,
  { table }: RelationalLayout,
  existing: TableSchema,
): readonly Statement[] {
  const key = textLiteral(fillingKey(engine.quoteTable(table)))
  const forget = `delete from ${engine.quoteTable(settingsTable)} where key = ${key}`
  const log = logOf(engine, table, existing)
  return [...engine.changedIds.drop({ table, log }), forget].map((sql) => ({ sql, parameters: [] }))
}

/** The table that has the ids of changed rows. */
export function logOf(
  { maxNameBytes }: Engine,
  { name }: TableName,
  { schema }: TableSchema,
): TableName {
  return { schema, name: shortName(`${name}_changes`, maxNameBytes - 8) }
}

function fillingKey(quotedTable: string): string {
  return `filling ${quotedTable}`
}
