import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { ModelDescription } from '../../model/model-description.ts'
import { RegistrationError } from '../../model/registration-error.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { storedNames } from '../../stored-item/stored-names.ts'
import { type BackfillField, backfillFields, maxBatchMs } from '../backfill.ts'
import { filledItem } from '../filled-item.ts'
import type { TableLayout } from '../sql/layout.ts'
import type { StoreOpenOptions } from '../store.ts'
import type { Connection } from './connection.ts'
import { jsonPathSql, quoteIdentifier } from './dialect.ts'
import { type FillingLog, fillingLog } from './filling-log.ts'
import type { GroupCommit } from './group-commit.ts'
import { missingValuesFaults } from './missing-values.ts'
import { storedTypes } from './stored-types.ts'

const batchSize = 2_000
/** So few changed items are filled in by the last step. */
const fewItems = 50

/** Processes that wait for the lock of the file look again after at most 48 ms. */
const pauseMs = 50

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
  const begun = await commits.runAlone(async () => {
    const layout = presentLayout()
    const fields = pendingBackfills(connection, layout)
    const total = fields.length === 0 ? 0 : countLacking(connection, layout, fields)
    if (total === 0) return undefined
    const faults = await missingValuesFaults(connection, layout, fields)
    if (faults.length > 0) throw new RegistrationError(faults.join('\n'))
    logOf(connection, layout).begin(fields)
    return { fields, total }
  })
  if (!begun) return
  const { total } = begun
  const step = `Filling in ${begun.fields.map(({ wireName }) => `'${wireName}'`).join(', ')} of '${presentLayout().model.plural}'`
  /** Another process may have filled in all items, and may have renamed their table. */
  const inBatch = <T>(
    work: (layout: TableLayout, fields: readonly BackfillField[]) => Promise<T>,
  ): Promise<T | undefined> =>
    commits.runAlone(async () => {
      const layout = presentLayout()
      const fields = pendingBackfills(connection, layout)
      return logOf(connection, layout).exists() ? work(layout, fields) : undefined
    })
  let done = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const position: string = after
    const batch = await inBatch((layout, fields) => fillBatch(connection, layout, fields, position))
    if (!batch) return
    done += batch.count
    after = batch.end
    onProgress?.({ step, done: Math.min(done, total), total })
    if (after !== undefined) await wait(pauseMs)
  }
  for (;;) {
    const count = await inBatch((layout, fields) => fillChanged(connection, layout, fields))
    if (count === undefined || count < fewItems) return
    await wait(pauseMs)
  }
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
  if (log.exists()) while ((await fillChanged(connection, layout, fields)) > 0);
  log.end()
  for (let after: string | undefined = ''; after !== undefined; )
    after = (await fillBatch(connection, layout, fields, after)).end
  const isHeld = fields.map(isHeldHidden).join(' or ')
  const query = `select exists (select 1 from ${quoteIdentifier(layout.name)} where ${isHeld})`
  return connection.prepare(query).get([])?.[0] === 1
}

/** Notes what is done, also under a former name, which the model may stop to tell. */
export function noteBackfills(connection: Connection, { model }: TableLayout): void {
  const note = connection.prepare('insert or replace into "_layout" (key, value) values (?, ?)')
  for (const { wireName } of backfillFields(model)) note.run([backfillKey(model, wireName), 'done'])
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
    .all([after]) as DocumentRow[]
  const fill = filler(connection, table, model, fields, new Set())
  const startedAt = performance.now()
  let count = 0
  for (const row of rows) {
    if (count > 0 && performance.now() - startedAt > maxBatchMs) break
    await fill(row)
    count++
  }
  return { count, end: rows[count - 1]?.[0] }
}

/**
 * Fills in items that other processes have added or changed, also again where the values are new.
 * @returns how many items there were, up to a batch
 */
async function fillChanged(
  connection: Connection,
  layout: TableLayout,
  fields: readonly BackfillField[],
): Promise<number> {
  const log = logOf(connection, layout)
  const ids = log.ids(batchSize)
  const table = quoteIdentifier(layout.name)
  const find = connection.prepare(`select id, text, hidden from ${table} where id = ?`)
  const fill = filler(connection, table, layout.model, fields, log.addedNames())
  for (const id of ids) {
    const row = find.get([id])
    // It may be removed since.
    if (row) await fill(row as DocumentRow)
  }
  log.remove(ids)
  return ids.length
}

type DocumentRow = [id: string, text: string, hidden: string | null]

/** @param renewed the wire names of fields whose values are made again */
function filler(
  connection: Connection,
  table: string,
  model: ModelDescription,
  fields: readonly BackfillField[],
  renewed: ReadonlySet<string>,
) {
  const update = connection.prepare(`update ${table} set hidden = ? where id = ?`)
  return async ([id, text, hiddenText]: DocumentRow): Promise<void> => {
    const item = { id, text, hiddenText } as StoredItem
    const filled = await filledItem(model, fields, item, renewed)
    if (filled.hiddenText !== hiddenText) update.run([filled.hiddenText, id])
  }
}

function lacksAny(model: ModelDescription, fields: readonly BackfillField[]): string {
  return fields
    .map((field) => storedTypes(model, field).map((type) => `${type} is null`))
    .map((conditions) => `(${conditions.join(' and ')})`)
    .join(' or ')
}
