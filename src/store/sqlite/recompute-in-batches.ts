import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { DerivedField } from '../../model/model-description.ts'
import { fingerprintEntry } from '../../stored-item/migrate-item.ts'
import {
  fillAllChanged,
  fillChangedInBatches,
  fillInBatches,
  type InBatch,
} from '../fill-in-batches.ts'
import type { TableLayout } from '../sql/layout.ts'
import type { StoreOpenOptions } from '../store.ts'
import { type ChangedItems, changedItems } from './changed-items.ts'
import type { Connection } from './connection.ts'
import { noteDerivations } from './derivations.ts'
import { fingerprintInFile, formInFile, layoutFingerprint, writeForm } from './file-fingerprints.ts'
import type { GroupCommit } from './group-commit.ts'
import { pendingRecomputation, type Recomputation, withoutBegun } from './recomputation.ts'
import { recomputationFilling } from './recomputation-filling.ts'
import {
  forgetRecomputation,
  noteOfRecomputation,
  noteRecomputation,
} from './recomputation-note.ts'
import { countRows } from './run-statement.ts'
import { sqliteEngine } from './tables/engine.ts'

export interface BatchedRecomputation {
  /** For `finishRecomputation`. */
  readonly run: string
  /** Makes in batches what other processes have written since. */
  recomputeChanged(): Promise<void>
}

/**
 * Makes derived values again whose function is another one, where nothing else of the items
 * changes: in batches, between which processes of the old version go on. What these write meanwhile
 * is made again too. After a crash, a start looks at all items again, and writes those that differ.
 *
 * @param presentLayout the layout with the names that the tables have in the file now
 * @returns undefined if there was nothing to do
 */
export async function recomputeInBatches(
  commits: GroupCommit,
  connection: Connection,
  presentLayout: () => TableLayout,
  onProgress: StoreOpenOptions['onProgress'],
): Promise<BatchedRecomputation | undefined> {
  const { model } = presentLayout()
  if (model.derivedFields.length === 0) return undefined
  const begun = await commits.runBatch(async () => {
    const layout = presentLayout()
    const pending = pendingRecomputation(connection, layout)
    if (!pending || countRows(connection, layout.name) === 0) return undefined
    return { fields: pending.fields, run: begin(connection, layout, pending) }
  })
  if (!begun) return undefined
  const inBatch = batchesOf(commits, connection, presentLayout, begun)
  await fillInBatches(model, inBatch, sqliteEngine.batchPauseMs, onProgress)
  return {
    run: begun.run,
    recomputeChanged: () => fillChangedInBatches(inBatch, sqliteEngine.batchPauseMs),
  }
}

function batchesOf(
  commits: GroupCommit,
  connection: Connection,
  presentLayout: () => TableLayout,
  { fields, run }: { readonly fields: readonly DerivedField[]; readonly run: string },
): InBatch {
  return (work) =>
    commits.runBatch(async () => {
      // Another process may have ended it, or begun another one.
      const layout = presentLayout()
      if (noteOfRecomputation(connection, layout.name)?.run !== run) return undefined
      return work(recomputationFilling(connection, layout, fields, logOf(connection, layout)))
    })
}

/** Several processes that start with the same functions share a run. */
function begin(connection: Connection, layout: TableLayout, { fields }: Recomputation): string {
  const entries = fields.map(fingerprintEntry).sort()
  const before = noteOfRecomputation(connection, layout.name)
  const isShared = before !== undefined && isDeepStrictEqual(before.entries, entries)
  const run = isShared ? before.run : randomUUID()
  noteRecomputation(connection, layout.name, { entries, run })
  logOf(connection, layout).begin()
  return run
}

/**
 * Makes the values of what other processes have written meanwhile, and notes that all is done. Call
 * it in the transaction that ends processes of the old version, before tables are renamed. Where
 * the run is not the last that began, items have values of several versions, and `migrateItems`
 * reads them all.
 *
 * @param present the layout with the names that the tables have in the file
 */
export async function finishRecomputation(
  connection: Connection,
  present: TableLayout,
  layout: TableLayout,
  run: string | undefined,
): Promise<void> {
  const { model, name } = present
  const note = noteOfRecomputation(connection, name)
  if (!note) return
  const isSame = fingerprintInFile(connection, model.plural) === layoutFingerprint(present)
  // A process of the old version that starts beside a deploy changes nothing of it.
  if (isSame && name === layout.name) return
  const pending = note.run === run ? pendingRecomputation(connection, present) : undefined
  if (pending) {
    const log = logOf(connection, present)
    await fillAllChanged(recomputationFilling(connection, present, pending.fields, log))
    writeForm(connection, model.plural, pending.form)
    noteDerivations(connection, model)
  } else {
    const form = formInFile(connection, model.plural)
    const members = withoutBegun(form, model, note.entries)
    writeForm(connection, model.plural, { ...form, members })
  }
  endRecomputation(connection, name)
}

/** Drops what the file has of a recomputation. */
export function endRecomputation(connection: Connection, table: string): void {
  logOfTable(connection, table).end()
  forgetRecomputation(connection, table)
}

function logOf(connection: Connection, { name }: TableLayout): ChangedItems {
  return logOfTable(connection, name)
}

function logOfTable(connection: Connection, table: string): ChangedItems {
  return changedItems(connection, table, `${table}(recomputed)`)
}
