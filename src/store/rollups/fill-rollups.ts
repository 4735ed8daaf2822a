import type { ModelDescription } from '../../model/model-description.ts'
import { rollupDepth } from '../../model/rollup-depth.ts'
import { always, idEquals } from '../../query/conditions.ts'
import { allItemsPlan, type QueryPlan } from '../../query/query-plan.ts'
import { withRollups } from '../../stored-item/rollup-values.ts'
import { joinWords } from '../../text/message-text.ts'
import { type Filling, fillInBatches } from '../fill-in-batches.ts'
import type { Store, StoreOpenOptions } from '../store.ts'
import type { PlanStep } from '../store-plan.ts'
import type { StoreTransaction } from '../store-transaction.ts'
import { computeRollups } from './compute-rollups.ts'
import { linksOfParent } from './rollup-links.ts'
import { declarationOf, RollupRow } from './rollup-table.ts'
import type { RollupTotal } from './rollup-total.ts'
import { hasKeptSums, sumsIn, valuesOf } from './write-rollups.ts'

const defaultPauseMs = 5

/** An item with rollups costs about five times another one, because its related items are read. */
const batchSizeDivisor = 5

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
  for (const model of models.toSorted((one, other) => rollupDepth(one) - rollupDepth(other))) {
    if (model.rollupFields.length === 0) continue
    const areKept = notes?.areKept() === true
    if (areKept && (await notes.read(noteOf(model))) === declarationsOf(model)) continue
    await fillInBatches(
      model,
      (work) => store.write((transaction) => work(rollupFilling(transaction, model))),
      store.facts?.batchPauseMs ?? defaultPauseMs,
      onProgress,
    )
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

function rollupFilling(transaction: StoreTransaction, model: ModelDescription): Filling {
  return {
    fields: model.rollupFields,

    count: () => transaction.count(model, always),

    async fillAfter(after, limit) {
      const size = Math.ceil(limit / batchSizeDivisor)
      const { entries } = await transaction.page(model, planAfter(after, size))
      const ids = entries.map(({ id }) => id)
      if (ids.length > 0) await fillItems(transaction, model, ids)
      return { count: ids.length, end: ids.length < size ? undefined : ids.at(-1) }
    },

    // What others write meanwhile has its rollups from there on.
    fillChanged: async () => 0,
  }
}

function planAfter(id: string, limit: number): QueryPlan {
  return {
    ...allItemsPlan,
    pageRange:
      id === '' ? { kind: 'offset', offset: 0, limit } : { kind: 'after', position: [id], limit },
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
