import { type BackfillField, backfillFields } from '../backfill.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Engine } from './engine.ts'
import type { RelationalLayout } from './relational-layout.ts'
import { type Settings, settingsTable } from './settings-table.ts'

/** The fields that no start has filled in yet. */
export function pendingBackfills(
  engine: Engine,
  layouts: readonly RelationalLayout[],
  settings: Settings,
): readonly BackfillField[] {
  return layouts.flatMap((layout) =>
    backfillFields(layout.model).filter(
      (field) => !settings.has(backfillKey(engine, layout, field)),
    ),
  )
}

/** Notes that fields are filled in, for good. */
export function noteBackfills(
  engine: Engine,
  layout: RelationalLayout,
  fields: readonly BackfillField[],
): readonly Statement[] {
  const { dialect, quoteTable } = engine
  const values = [1, 2].map(dialect.placeholder).join(', ')
  const sql = `insert into ${quoteTable(settingsTable)} (key, value) values (${values}) on conflict (key) do nothing`
  return fields.map((field) => ({
    sql,
    parameters: [backfillKey(engine, layout, field), 'done'],
  }))
}

function backfillKey(
  { quoteTable }: Engine,
  { table }: RelationalLayout,
  { storage }: BackfillField,
): string {
  return `backfill of ${quoteTable(table)}.${storage.column}`
}
