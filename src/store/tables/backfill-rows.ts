import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { ValueField } from '../../model/model-description.ts'
import { isBackfillField } from '../backfill.ts'
import type { StoreOpenOptions } from '../store.ts'
import { filledFields, noteBackfills } from './backfill-notes.ts'
import type { Engine } from './engine.ts'
import { countLacking, type FilledTable, fillChangedRows, fillLackingRows } from './fill-rows.ts'
import { addedColumns, endFilling } from './filling-note.ts'
import type { ItemTable } from './item-table.ts'
import { type DatabaseSchema, findTable } from './schema/database-schema.ts'
import { readSettings, type Settings } from './settings-table.ts'
import type { SqlDatabase, SqlSession } from './sql-database.ts'

const firstBatchSize = 250
const maxBatchSize = 4_000
/** A batch that took less is followed by a larger one. */
const shortBatchMs = 50
/** So few changed rows are filled in by the last step. */
const fewRows = 50

/**
 * Fills in fields of rows that have no value, in a transaction for each batch, and then those that
 * processes of the old version have changed meanwhile. These go on, and of several processes that
 * start one fills in each row.
 */
export async function backfillRows(
  engine: Engine,
  database: SqlDatabase,
  table: ItemTable,
  schema: DatabaseSchema,
  onProgress: StoreOpenOptions['onProgress'],
): Promise<void> {
  const inBatch = <T>(work: (filled: FilledTable) => Promise<T>) =>
    database.longTransaction(async (session) => {
      const filled = await lockFilling(engine, session, table, schema)
      return filled && { fields: filled.fields, result: await work(filled) }
    })
  let size = firstBatchSize
  const adaptSize = (startedAt: number) => {
    if (performance.now() - startedAt < shortBatchMs) size = Math.min(size * 2, maxBatchSize)
  }
  let total: number | undefined
  let done = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const position: string = after
    const startedAt = performance.now()
    const batch = await inBatch(async (filled) => {
      const count = total ?? (await countLacking(filled))
      return { ...(await fillLackingRows(filled, position, size)), total: count }
    })
    if (!batch) return
    const { fields, result } = batch
    adaptSize(startedAt)
    total = result.total
    done += result.count
    after = result.end
    if (total > 0) onProgress?.({ step: stepOf(table, fields), done: Math.min(done, total), total })
    if (after !== undefined) await wait(engine.batchPauseMs)
  }
  for (let isLast = false; !isLast; ) {
    const batch = await inBatch((filled) => fillChangedRows(filled, firstBatchSize))
    isLast = batch === undefined || batch.result < fewRows
    if (!isLast) await wait(engine.batchPauseMs)
  }
}

/** Undefined if another process has filled in all rows. */
async function lockFilling(
  engine: Engine,
  session: SqlSession,
  table: ItemTable,
  schema: DatabaseSchema,
): Promise<FilledTable | undefined> {
  await session.run([{ sql: engine.lockSchema, parameters: [] }])
  const settings = await readSettings(engine, session, schema)
  if (!addedColumns(engine, settings, table.layout.table)) return undefined
  return filledTable(engine, session, table, schema, settings)
}

function filledTable(
  engine: Engine,
  session: SqlSession,
  table: ItemTable,
  schema: DatabaseSchema,
  settings: Settings,
): FilledTable {
  const fields = filledFields(
    engine,
    table.layout,
    findTable(schema, table.layout.table)!,
    settings,
  )
  return { engine, session, table, schema, settings, fields }
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
  const filled = filledTable(engine, session, table, schema, settings)
  while ((await fillChangedRows(filled, maxBatchSize)) > 0);
  const existing = findTable(schema, table.layout.table)!
  await session.run([
    ...noteBackfills(engine, table.layout, filled.fields.filter(isBackfillField)),
    ...endFilling(engine, table.layout, existing),
  ])
}

function stepOf({ model }: ItemTable, fields: readonly ValueField[]): string {
  return `Filling in ${fields.map(({ wireName }) => `'${wireName}'`).join(', ')} of '${model.plural}'`
}
