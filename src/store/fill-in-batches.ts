import { performance } from 'node:perf_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import type { ModelDescription, ValueField } from '../model/model-description.ts'
import type { StoreOpenOptions } from './store.ts'

const firstBatchSize = 250
const maxBatchSize = 4_000
/** A batch that took less is followed by a larger one. */
const shortBatchMs = 50
/**
 * A batch ends after so long, so that other writes get a turn. One that cannot, because it asks the
 * store about all its items at once, is followed by a smaller one.
 */
const maxBatchMs = 100
/** So few changed items are filled in by the last step. */
const fewItems = 50

/** What a start fills in of the items of a model, in one transaction. */
export interface Filling {
  readonly fields: readonly ValueField[]
  /** How many items there are to fill in: those that lack a value, or all. */
  count(): Promise<number>
  /**
   * Fills in such items after an id, as many as fit in the time of a batch.
   * @returns how many, and the last id; undefined if no item is left
   */
  fillAfter(after: string, limit: number): Promise<{ count: number; end: string | undefined }>
  /**
   * Fills in items that other processes have added or changed.
   * @returns how many there were
   */
  fillChanged(limit: number): Promise<number>
}

/** Runs the work in a transaction; not if another process has filled in all items. */
export type InBatch = <T>(work: (filling: Filling) => Promise<T>) => Promise<T | undefined>

/**
 * Fills in fields of items, in a transaction for each batch, and then items that processes of the
 * old version have changed meanwhile. These go on, and of several processes that
 * start one fills in each item.
 *
 * @param pauseMs how long others get the database between two batches
 */
export async function fillInBatches(
  { plural }: ModelDescription,
  inBatch: InBatch,
  pauseMs: number,
  onProgress: StoreOpenOptions['onProgress'],
): Promise<void> {
  let size = firstBatchSize
  let total: number | undefined
  let done = 0
  for (let after: string | undefined = ''; after !== undefined; ) {
    const position: string = after
    const batch = await inBatch(async (filling) => {
      const about = { total: total ?? (await filling.count()), fields: filling.fields }
      // Without the time for which the transaction waits: a smaller batch would wait as long.
      const startedAt = performance.now()
      const filled = await filling.fillAfter(position, size)
      return { ...about, ...filled, tookMs: performance.now() - startedAt }
    })
    if (!batch) return
    const { tookMs } = batch
    if (tookMs < shortBatchMs) size = Math.min(size * 2, maxBatchSize)
    else if (tookMs > 2 * maxBatchMs) size = Math.max(Math.floor(size / 2), 1)
    total = batch.total
    done += batch.count
    after = batch.end
    const names = batch.fields.map(({ wireName }) => `'${wireName}'`).join(', ')
    const step = `Filling in ${names} of '${plural}'`
    if (total > 0) onProgress?.({ step, done: Math.min(done, total), total })
    if (after !== undefined) await wait(pauseMs)
  }
  await fillChangedInBatches(inBatch, pauseMs)
}

/**
 * Fills in items that processes of the old version have changed since. Call it once more for all
 * models after the batches of the last one, because the last transaction, for which all writers
 * wait, makes what is left.
 */
export async function fillChangedInBatches(inBatch: InBatch, pauseMs: number): Promise<void> {
  for (;;) {
    const count = await inBatch((filling) => filling.fillChanged(firstBatchSize))
    if (count === undefined || count < fewItems) return
    await wait(pauseMs)
  }
}

/** Fills in all that other processes have changed, while nobody else writes the items. */
export async function fillAllChanged(filling: Filling): Promise<void> {
  while ((await filling.fillChanged(maxBatchSize)) > 0);
}

/** Handles items until the time of a batch is over; at least one. Returns how many. */
export async function handleInTime<I>(
  items: readonly I[],
  handle: (item: I) => Promise<void>,
): Promise<number> {
  const startedAt = performance.now()
  let count = 0
  for (const item of items) {
    if (count > 0 && performance.now() - startedAt > maxBatchMs) break
    await handle(item)
    count++
  }
  return count
}
