import { setTimeout as wait } from 'node:timers/promises'
import type { ModelDescription } from '../../model/model-description.ts'
import { idEquals } from '../../query/conditions.ts'
import { allItemsPlan } from '../../query/query-plan.ts'
import { withRollups } from '../../stored-item/rollup-values.ts'
import { joinWords } from '../../text/message-text.ts'
import type { Store, StoreOpenOptions } from '../store.ts'
import type { PlanStep } from '../store-plan.ts'
import type { StoreTransaction } from '../store-transaction.ts'
import { computeRollups } from './compute-rollups.ts'
import { linksOfParent } from './rollup-links.ts'
import { declarationOf, RollupRow } from './rollup-table.ts'
import type { RollupTotal } from './rollup-total.ts'
import { hasKeptSums, sumsIn, valuesOf } from './write-rollups.ts'

const firstBatchSize = 50
const maxBatchSize = 1_000
/** A batch that took less is followed by a larger one. */
const shortBatchMs = 50
/** One that took more is followed by a smaller one: items may have any number of related ones. */
const longBatchMs = 100
/** How long others get the store between two batches. */
const pauseMs = 5

/**
 * Computes the rollups that are new or declared otherwise, for all items, in a transaction for each
 * batch. Other processes with these declarations may write meanwhile: each item is locked before
 * what relates to it is read, and their writes change it from there on.
 */
export async function fillRollups(
  store: Store,
  models: readonly ModelDescription[],
  onProgress: StoreOpenOptions['onProgress'],
): Promise<void> {
  const { notes } = store
  for (const model of models) {
    if (model.rollupFields.length === 0) continue
    const areKept = notes?.areKept() === true
    if (areKept && (await notes.read(noteOf(model))) === declarationsOf(model)) continue
    await fillModel(store, model, onProgress)
    if (areKept) await notes.write(noteOf(model), declarationsOf(model))
  }
}

/** What `fillRollups` would do, before the store is open. */
export async function plannedRollups(
  { notes }: Store,
  models: readonly ModelDescription[],
): Promise<readonly PlanStep[]> {
  const steps: PlanStep[] = []
  for (const model of models) {
    if (model.rollupFields.length === 0) continue
    // A store that nobody has opened has no place for notes yet.
    const note = await notes?.read(noteOf(model)).catch(() => undefined)
    if (note === declarationsOf(model)) continue
    const summary = `Compute ${namesOf(model)} of all items of '${model.plural}'.`
    steps.push({ kind: 'rewrite', summary, sql: [] })
  }
  return steps
}

async function fillModel(
  store: Store,
  model: ModelDescription,
  onProgress: StoreOpenOptions['onProgress'],
): Promise<void> {
  const total = await store.count(model, allItemsPlan.condition)
  let done = 0
  let size = firstBatchSize
  for await (const items of store.list(model, allItemsPlan))
    for (let start = 0; start < items.length; ) {
      const ids = items.slice(start, start + size).map(({ id }) => id)
      const startedAt = performance.now()
      await store.write((transaction) => fillItems(transaction, model, ids))
      const tookMs = performance.now() - startedAt
      if (tookMs < shortBatchMs) size = Math.min(size * 2, maxBatchSize)
      else if (tookMs > longBatchMs) size = Math.max(Math.floor(size / 2), 1)
      start += ids.length
      done += ids.length
      onProgress?.({
        step: `Computing ${namesOf(model)} of '${model.plural}'`,
        done: Math.min(done, total),
        total: Math.max(done, total),
      })
      await wait(pauseMs)
    }
}

async function fillItems(
  transaction: StoreTransaction,
  model: ModelDescription,
  ids: readonly string[],
): Promise<void> {
  await transaction.locks?.lockForWrite(() => [{ model, ids }])
  const totals = new Map<string, Record<string, RollupTotal>>()
  for (const link of linksOfParent(model))
    for (const [id, ofLink] of await computeRollups(transaction, link, ids))
      totals.set(id, { ...totals.get(id), ...ofLink })
  for (const id of ids) {
    const item = await transaction.find(model, idEquals(id))
    // It is gone since the list was read.
    if (!item) continue
    const values = valuesOf(model, totals.get(id)!)
    if (hasKeptSums(model)) {
      const row = await RollupRow.read(transaction, model, id)
      await row.write(model.rollupFields, sumsIn(model, totals.get(id)!))
    }
    const changed = withRollups(model, item, values, item.revision + 1)
    if (changed === item) continue
    const outcome = await transaction.replace(model, changed)
    if (outcome.kind !== 'written')
      throw new Error(`The rollups of the ${model.name} '${id}' were not written: ${outcome.kind}.`)
  }
}

function namesOf({ rollupFields }: ModelDescription): string {
  return joinWords(rollupFields.map(({ wireName }) => `'${wireName}'`))
}

function noteOf({ name }: ModelDescription): string {
  return `rollups ${name}`
}

/** Another text after a rollup was added or declared otherwise. */
function declarationsOf({ rollupFields }: ModelDescription): string {
  return JSON.stringify(rollupFields.map((field) => [field.name, declarationOf(field)]))
}
