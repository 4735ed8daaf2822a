import {
  blobKeysOf,
  createStoredItem,
  type ModelDescription,
  readStoredValues,
  type StoredValues,
} from '../../store/public.ts'
import { canonicalText } from './canonical-item.ts'
import { copyBlobs, hasBlobs } from './copied-blobs.ts'
import type { ItemCollector } from './item-collector.ts'
import type { ItemSource, MovedItem } from './item-source.ts'
import type { MovableStore } from './move-options.ts'
import type { ModelPlan } from './move-plan.ts'
import { emptyingMissing } from './present-targets.ts'
import { findBatch } from './target-items.ts'
import { type ItemWrite, writeTransaction } from './write-transaction.ts'

/** What it takes to write items of a source into a store. */
export interface Move {
  readonly source: ItemSource
  readonly target: MovableStore
  readonly plans: readonly ModelPlan[]
  readonly overwrites: boolean
  readonly conflicts: ItemCollector
}

export interface WrittenBatch {
  readonly writtenCount: number
  readonly copiedBytes: number
}

/**
 * Writes the items of a batch that the target does not have, in one transaction. Deferred relations
 * to items that are not there yet stay empty.
 */
export async function writeItems(move: Move, batch: readonly MovedItem[]): Promise<WrittenBatch> {
  const { target, source, conflicts, overwrites } = move
  const find = await findBatch(target.store, batch)
  const emptyMissing = await emptyingMissing(target.store, move.plans, batch)
  const writes: ItemWrite[] = []
  const newKeys: string[] = []
  const replacedKeys: string[] = []
  let copiedBytes = 0
  // A failure then does not say any more that nothing was written.
  let mayBeCommitted = false
  try {
    for (const moved of batch) {
      const existing = find(moved)
      const before = existing && readStoredValues(moved.model, existing)
      const isSame = before !== undefined && hasSameContent(move, moved, before)
      if (isSame && (await hasBlobs(target.blobs, moved.model, before))) continue
      if (before && !isSame && !overwrites) {
        conflicts.add(moved)
        continue
      }
      const copied = await copyBlobs(source, target.blobs, moved)
      newKeys.push(...copied.blobKeys)
      copiedBytes += copied.byteCount
      if (existing) replacedKeys.push(...Object.values(blobKeysOf(existing)))
      // Relations of an item that has lost its files are compared later, as those of any other.
      const values = isSame
        ? { ...copied.values, ...deferredLinkage(move, moved.model, before) }
        : emptyMissing(moved.model, copied.values)
      const item = createStoredItem(moved.model, values, (existing?.revision ?? 0) + 1)
      writes.push({ kind: existing ? 'replace' : 'insert', model: moved.model, item })
    }
    if (writes.length > 0)
      await writeTransaction(target.store, async (write) => {
        mayBeCommitted = false
        for (const each of writes) await write(each)
        mayBeCommitted = true
      })
  } catch (error) {
    // The sweep of a router deletes those that stay.
    if (!mayBeCommitted) await target.blobs?.delete(newKeys).catch(() => {})
    throw error
  }
  if (replacedKeys.length > 0) await target.blobs?.delete(replacedKeys)
  return { writtenCount: writes.length, copiedBytes }
}

function deferredLinkage({ plans }: Move, model: ModelDescription, values: StoredValues) {
  const { deferred } = plans.find((plan) => plan.model === model)!
  return Object.fromEntries(deferred.map(({ name }) => [name, values[name]]))
}

function hasSameContent({ plans }: Move, { model, values }: MovedItem, before: StoredValues) {
  const { deferred } = plans.find((plan) => plan.model === model)!
  return canonicalText(model, values, deferred) === canonicalText(model, before, deferred)
}
