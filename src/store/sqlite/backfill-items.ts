import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { ModelDescription } from '../../model/model-description.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { storedNames } from '../../stored-item/stored-names.ts'
import { type BackfillField, backfillFields, maxBatchMs } from '../backfill.ts'
import { filledItem } from '../filled-item.ts'
import type { TableLayout } from '../sql/layout.ts'
import type { StoreOpenOptions } from '../store.ts'
import type { Connection } from './connection.ts'
import { jsonPathSql, quoteIdentifier } from './dialect.ts'
import type { GroupCommit } from './group-commit.ts'
import { storedTypes } from './stored-types.ts'

const batchSize = 2_000

/** Processes that wait for the lock of the file look again after at most 48 ms. */
const pauseMs = 50

/**
 * Fills in fields before the items get the form of the model: the values are stored where members
 * of other models are, so that processes of the old version go on. A start after a crash goes on
 * with the items that have no value yet.
 */
export async function backfillInBatches(
  commits: GroupCommit,
  connection: Connection,
  layout: TableLayout,
  onProgress: StoreOpenOptions['onProgress'],
): Promise<void> {
  const fields = pendingBackfills(connection, layout)
  const total = fields.length === 0 ? 0 : countLacking(connection, layout, fields)
  if (total === 0) return
  const step = `Filling in ${fields.map(({ wireName }) => `'${wireName}'`).join(', ')} of '${layout.model.plural}'`
  let done = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const position: string = after
    const batch = await commits.runAlone(() => fillBatch(connection, layout, fields, position))
    done += batch.count
    after = batch.end
    onProgress?.({ step, done: Math.min(done, total), total })
    if (after !== undefined) await wait(pauseMs)
  }
}

/**
 * Fills in what other processes have written meanwhile, and notes that it is done. Call it in the
 * transaction that brings the items into the form of the model.
 *
 * @returns whether items have values that are not where the model has them
 */
export async function finishBackfills(
  connection: Connection,
  layout: TableLayout,
): Promise<boolean> {
  const fields = unfinishedBackfills(connection, layout)
  const note = connection.prepare('insert or ignore into "_layout" (key, value) values (?, ?)')
  // Also those that were done under a former name, which the model may stop to tell.
  for (const { wireName } of backfillFields(layout.model))
    note.run([backfillKey(layout.model, wireName), 'done'])
  if (fields.length === 0) return false
  for (let after: string | undefined = ''; after !== undefined; )
    after = (await fillBatch(connection, layout, fields, after)).end
  const values = fields.map(({ wireName }) => `json_type(hidden, ${jsonPathSql([wireName])})`)
  const isHeld = values.map((value) => `${value} is not null`).join(' or ')
  const query = `select exists (select 1 from ${quoteIdentifier(layout.name)} where ${isHeld})`
  return connection.prepare(query).get([])?.[0] === 1
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
  const query = `select count(*) from ${quoteIdentifier(name)} where ${lacksAny(model, fields)}`
  return Number(connection.prepare(query).get([])![0])
}

function unfinishedBackfills(
  connection: Connection,
  { model }: TableLayout,
): readonly BackfillField[] {
  const note = connection.prepare('select 1 from "_layout" where key = ?')
  return backfillFields(model).filter(
    (field) => !storedNames(model, field).some((name) => note.get([backfillKey(model, name)])),
  )
}

function backfillKey(model: ModelDescription, wireName: string): string {
  return backfillKeyPrefix(model) + wireName
}

/** What the keys of the backfills of a model begin with, in the table `_layout`. */
export function backfillKeyPrefix({ plural }: Pick<ModelDescription, 'plural'>): string {
  return `backfill of ${plural}.`
}

interface FilledBatch {
  readonly count: number
  /** The last id; undefined if no item is left. */
  readonly end: string | undefined
}

/** The items after an id, as many as fit in the time of a batch. */
async function fillBatch(
  connection: Connection,
  { name, model }: TableLayout,
  fields: readonly BackfillField[],
  after: string,
): Promise<FilledBatch> {
  const table = quoteIdentifier(name)
  const rows = connection
    .prepare(
      `select id, text, hidden from ${table} where id > ? and (${lacksAny(model, fields)}) order by id limit ${batchSize}`,
    )
    .all([after]) as [string, string, string | null][]
  const update = connection.prepare(`update ${table} set hidden = ? where id = ?`)
  const startedAt = performance.now()
  let count = 0
  for (const [id, text, hiddenText] of rows) {
    if (count > 0 && performance.now() - startedAt > maxBatchMs) break
    const item = { id, text, hiddenText } as StoredItem
    const filled = await filledItem(model, fields, item)
    if (filled !== item) update.run([filled.hiddenText, id])
    count++
  }
  return { count, end: rows[count - 1]?.[0] }
}

function lacksAny(model: ModelDescription, fields: readonly BackfillField[]): string {
  return fields
    .map((field) => storedTypes(model, field).map((type) => `${type} is null`))
    .map((conditions) => `(${conditions.join(' and ')})`)
    .join(' or ')
}
