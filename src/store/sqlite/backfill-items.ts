import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { storedNames } from '../../stored-item/stored-names.ts'
import { type BackfillField, backfillFields } from '../backfill.ts'
import {
  type Filling,
  fillAllChanged,
  fillChangedInBatches,
  fillInBatches,
  handleInTime,
  type InBatch,
} from '../fill-in-batches.ts'
import { filledItem } from '../filled-item.ts'
import type { TableLayout } from '../sql/layout.ts'
import type { StoreOpenOptions } from '../store.ts'
import type { Connection } from './connection.ts'
import { jsonPathSql, quoteIdentifier } from './dialect.ts'
import { noteInFile, writeNote } from './file-notes.ts'
import { type FillingLog, fillingLog } from './filling-log.ts'
import type { GroupCommit } from './group-commit.ts'
import { missingValuesFaults } from './missing-values.ts'
import { countRows } from './run-statement.ts'
import { storedTypes } from './stored-types.ts'
import { sqliteEngine } from './tables/engine.ts'

/** Of the last step, which nobody else waits between. */
const lastBatchSize = 2_000

/**
 * Fills in fields before the items get the form of the model: the values are stored where members
 * of other models are, so that processes of the old version go on. What these write meanwhile is
 * filled in too. A start after a crash goes on with the items that have no value yet.
 *
 * @param presentLayout the layout with the names that the tables have in the file now
 * @throws RegistrationError at once for what the last step would refuse
 */
export async function backfillInBatches(
  commits: GroupCommit,
  connection: Connection,
  presentLayout: () => TableLayout,
  onProgress: StoreOpenOptions['onProgress'],
): Promise<void> {
  const total = await commits.runBatch(async () => {
    const layout = presentLayout()
    const fields = pendingBackfills(connection, layout)
    const count = fields.length === 0 ? 0 : countLacking(connection, layout, fields)
    if (count === 0) return 0
    const faults = await missingValuesFaults(connection, layout, fields)
    if (faults.length > 0) throw new RegistrationError(faults.join('\n'))
    logOf(connection, layout).begin(fields)
    return count
  })
  if (total === 0) return
  const inBatch = batchesOf(commits, connection, presentLayout)
  await fillInBatches(
    presentLayout().model,
    (work) => inBatch((filling) => work({ ...filling, count: async () => total })),
    sqliteEngine.batchPauseMs,
    onProgress,
  )
}

/** Fills in, again in batches, what other processes have written since `backfillInBatches`. */
export function backfillChangedInBatches(
  commits: GroupCommit,
  connection: Connection,
  presentLayout: () => TableLayout,
): Promise<void> {
  const inBatch = batchesOf(commits, connection, presentLayout)
  return fillChangedInBatches(inBatch, sqliteEngine.batchPauseMs)
}

function batchesOf(
  commits: GroupCommit,
  connection: Connection,
  presentLayout: () => TableLayout,
): InBatch {
  return (work) =>
    commits.runBatch(async () => {
      // Another process may have filled in all items, and may have renamed their table.
      const layout = presentLayout()
      if (!logOf(connection, layout).exists()) return undefined
      return work(itemFilling(connection, layout, pendingBackfills(connection, layout)))
    })
}

/**
 * Fills in what other processes have written meanwhile. Call it in the transaction that brings the
 * items into the form of the model, and `noteBackfills` in the same.
 *
 * @param layout with the names that the tables have in the file
 * @returns whether items have values that are not where the model has them
 */
export async function finishBackfills(
  connection: Connection,
  layout: TableLayout,
): Promise<boolean> {
  const fields = pendingBackfills(connection, layout)
  if (fields.length === 0) return false
  const log = logOf(connection, layout)
  const filling = itemFilling(connection, layout, fields)
  if (log.exists()) await fillAllChanged(filling)
  log.end()
  for (let after: string | undefined = ''; after !== undefined; )
    after = (await filling.fillAfter(after, lastBatchSize)).end
  const isHeld = fields.map(isHeldHidden).join(' or ')
  const query = `select exists (select 1 from ${quoteIdentifier(layout.name)} where ${isHeld})`
  return connection.prepare(query).get([])?.[0] === 1
}

/** Notes what is done, also under a former name, which the model may stop to tell. */
export function noteBackfills(connection: Connection, { model }: TableLayout): void {
  for (const { wireName } of backfillFields(model))
    writeNote(connection, backfillKey(model, wireName), 'done')
}

function logOf(connection: Connection, { name, model }: TableLayout): FillingLog {
  const isHeld = (field: BackfillField) =>
    storedTypes(model, field)
      .map((type) => `${type} is not null`)
      .join(' or ')
  return fillingLog(connection, name, isHeld)
}

function isHeldHidden({ wireName }: BackfillField): string {
  return `json_type(hidden, ${jsonPathSql([wireName])}) is not null`
}

/** The fields whose backfill has work to do, in a file that may lack the table. */
export function pendingBackfills(
  connection: Connection,
  layout: TableLayout,
): readonly BackfillField[] {
  const hasTables = connection
    .prepare("select count(*) from sqlite_schema where type = 'table' and name in (?, '_layout')")
    .get([layout.name])
  return hasTables?.[0] === 2 ? unfinishedBackfills(connection, layout) : []
}

/** How many items lack a value of these fields. */
export function countLacking(
  connection: Connection,
  { name, model }: TableLayout,
  fields: readonly BackfillField[],
): number {
  return countRows(connection, name, lacksAny(model, fields))
}

function unfinishedBackfills(
  connection: Connection,
  { model }: TableLayout,
): readonly BackfillField[] {
  const isDone = (name: string) => noteInFile(connection, backfillKey(model, name)) !== undefined
  return backfillFields(model).filter((field) => !storedNames(model, field).some(isDone))
}

function backfillKey(model: ModelDescription, wireName: string): string {
  return backfillKeyPrefix(model) + wireName
}

/** What the keys of the backfills of a model begin with, in the table `_layout`. */
export function backfillKeyPrefix({ plural }: Pick<ModelDescription, 'plural'>): string {
  return `backfill of ${plural}.`
}

type DocumentRow = [id: string, text: string, hidden: string | null]

function itemFilling(
  connection: Connection,
  layout: TableLayout,
  fields: readonly BackfillField[],
): Filling {
  const { name, model } = layout
  const table = quoteIdentifier(name)
  const select = `select id, text, hidden from ${table} where`
  const update = connection.prepare(`update ${table} set hidden = ? where id = ?`)
  /** @param renewed the wire names of fields whose values are made again */
  const filler =
    (renewed: ReadonlySet<string>) =>
    async ([id, text, hiddenText]: DocumentRow): Promise<void> => {
      const item = { id, text, hiddenText } as StoredItem
      const filled = await filledItem(model, fields, item, renewed)
      if (filled.hiddenText !== hiddenText) update.run([filled.hiddenText, id])
    }
  return {
    fields,

    count: async () => countLacking(connection, layout, fields),

    async fillAfter(after, limit) {
      const rows = connection
        .prepare(`${select} id > ? and (${lacksAny(model, fields)}) order by id limit ${limit}`)
        .all([after]) as DocumentRow[]
      const count = await handleInTime(rows, filler(new Set()))
      return { count, end: rows[count - 1]?.[0] }
    },

    async fillChanged(limit) {
      const log = logOf(connection, layout)
      const ids = log.ids(limit)
      const find = connection.prepare(`${select} id = ?`)
      const fill = filler(log.addedNames())
      for (const id of ids) {
        const row = find.get([id])
        // It may be removed since.
        if (row) await fill(row as DocumentRow)
      }
      log.remove(ids)
      return ids.length
    },
  }
}

function lacksAny(model: ModelDescription, fields: readonly BackfillField[]): string {
  return fields
    .map((field) => storedTypes(model, field).map((type) => `${type} is null`))
    .map((conditions) => `(${conditions.join(' and ')})`)
    .join(' or ')
}
