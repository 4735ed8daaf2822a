import { type BackfillField, backfillFields } from '../backfill.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Engine } from './engine.ts'
import type { RelationalLayout } from './relational-layout.ts'
import { addSetting, type Settings } from './settings-table.ts'

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
  return fields.map((field) => addSetting(engine, backfillKey(engine, layout, field), 'done'))
}

function backfillKey(
  { quoteTable }: Engine,
  { table }: RelationalLayout,
  { storage }: BackfillField,
): string {
  return `backfill of ${quoteTable(table)}.${storage.column}`
}
