import { isFilledByFunction } from '../backfill.ts'
import {
  type Filling,
  fillAllChanged,
  fillChangedInBatches,
  fillInBatches,
  type InBatch,
} from '../fill-in-batches.ts'
import type { StoreOpenOptions } from '../store.ts'
import { filledFields, noteBackfills } from './backfill-notes.ts'
import type { Engine } from './engine.ts'
import { rowFilling } from './fill-rows.ts'
import { addedColumns, endFilling } from './filling-note.ts'
import type { ItemTable } from './item-table.ts'
import { type DatabaseSchema, findTable } from './schema/database-schema.ts'
import { readSettings, type Settings } from './settings-table.ts'
import type { SqlDatabase, SqlSession } from './sql-database.ts'

/** Fills in fields of rows that have no value, in one table after the other. */
export async function backfillRows(
  engine: Engine,
  database: SqlDatabase,
  tables: readonly ItemTable[],
  schema: DatabaseSchema,
  onProgress: StoreOpenOptions['onProgress'],
): Promise<void> {
  const inBatchOf =
    (table: ItemTable): InBatch =>
    (work) =>
      database.longTransaction(async (session) => {
        const filling = await lockFilling(engine, session, table, schema)
        return filling && work(filling)
      })
  for (const table of tables)
    await fillInBatches(table.model, inBatchOf(table), engine.batchPauseMs, onProgress)
  // Others have changed rows of one table while the next ones were filled in.
  for (const table of tables.slice(0, -1))
    await fillChangedInBatches(inBatchOf(table), engine.batchPauseMs)
}

/** Undefined if another process has filled in all rows. */
async function lockFilling(
  engine: Engine,
  session: SqlSession,
  table: ItemTable,
  schema: DatabaseSchema,
): Promise<Filling | undefined> {
  await session.run(engine.lockSchema.map((sql) => ({ sql, parameters: [] })))
  const settings = await readSettings(engine, session, schema)
  if (!addedColumns(engine, settings, table.layout.table)) return undefined
  return fillingOf(engine, session, table, schema, settings)
}

function fillingOf(
  engine: Engine,
  session: SqlSession,
  table: ItemTable,
  schema: DatabaseSchema,
  settings: Settings,
): Filling {
  const fields = filledFields(
    engine,
    table.layout,
    findTable(schema, table.layout.table)!,
    settings,
  )
  return rowFilling({ engine, session, table, schema, settings, fields })
}

/**
 * Fills in the rest, and notes that all is done. Nobody else writes the table until the end of the
 * transaction.
 */
export async function finishBackfill(
  engine: Engine,
  session: SqlSession,
  table: ItemTable,
  schema: DatabaseSchema,
  settings: Settings,
): Promise<void> {
  const filling = fillingOf(engine, session, table, schema, settings)
  await fillAllChanged(filling)
  const existing = findTable(schema, table.layout.table)!
  await session.run([
    ...noteBackfills(engine, table.layout, filling.fields.filter(isFilledByFunction)),
    ...endFilling(engine, table.layout, existing),
  ])
}
