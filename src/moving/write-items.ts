import type { StoreTransaction, WriteOutcome } from '../store/store.ts'
import { createStoredItem, readStoredValues } from '../stored-item/create-stored-item.ts'
import { blobKeysOf } from '../stored-item/item-resources.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'
import { canonicalText } from './canonical-item.ts'
import { copyBlobs, hasBlobs } from './copied-blobs.ts'
import type { ItemCollector } from './item-collector.ts'
import { type ItemSource, type MovedItem, nameOf } from './item-source.ts'
import { explained, type MissingTarget } from './missing-target.ts'
import type { MovableStore } from './move-options.ts'
import type { ModelPlan } from './move-plan.ts'
import { emptyingMissing } from './present-targets.ts'
import { findBatch } from './target-items.ts'

/** What it takes to write items of a source into a store. */
export interface Move {
  readonly source: ItemSource
  readonly target: MovableStore
  readonly plans: readonly ModelPlan[]
  readonly overwrites: boolean
  readonly conflicts: ItemCollector
}

interface ItemWrite {
  readonly kind: 'insert' | 'replace'
  readonly moved: MovedItem
  readonly item: StoredItem
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
  const outcome = { mayBeCommitted: false }
  try {
    for (const moved of batch) {
      const existing = find(moved)
      if (existing) {
        const before = readStoredValues(moved.model, existing)
        const isSame = hasSameContent(move, moved, before)
        if (isSame && (await hasBlobs(target.blobs, moved.model, before))) continue
        if (!isSame && !overwrites) {
          conflicts.add(moved)
          continue
        }
      }
      const copied = await copyBlobs(source, target.blobs, moved)
      newKeys.push(...copied.blobKeys)
      copiedBytes += copied.byteCount
      if (existing) replacedKeys.push(...Object.values(blobKeysOf(existing)))
      const values = emptyMissing(moved.model, copied.values)
      const item = createStoredItem(moved.model, values, (existing?.revision ?? 0) + 1)
      writes.push({ kind: existing ? 'replace' : 'insert', moved, item })
    }
    if (writes.length > 0) await writeAll(move, writes, outcome)
  } catch (error) {
    // The sweep of a router deletes those that stay.
    if (!outcome.mayBeCommitted) await target.blobs?.delete(newKeys).catch(() => {})
    throw error
  }
  if (replacedKeys.length > 0) await target.blobs?.delete(replacedKeys)
  return { writtenCount: writes.length, copiedBytes }
}

function hasSameContent({ plans }: Move, { model, values }: MovedItem, before: StoredValues) {
  const { deferred } = plans.find((plan) => plan.model === model)!
  return canonicalText(model, values, deferred) === canonicalText(model, before, deferred)
}

/** @param outcome is told when a failure does not say any more that nothing was written */
async function writeAll(
  move: Move,
  writes: readonly ItemWrite[],
  outcome: { mayBeCommitted: boolean },
): Promise<void> {
  try {
    await move.target.store.write(async (transaction) => {
      outcome.mayBeCommitted = false
      for (const write of writes) await writeOne(transaction, write)
      outcome.mayBeCommitted = true
    })
  } catch (error) {
    const written = writes.map(({ item, moved }) => ({ model: moved.model, item }))
    throw await explained(move.target.store, written, error, cannotWrite)
  }
}

async function writeOne(
  transaction: StoreTransaction,
  { kind, moved: { model }, item }: ItemWrite,
): Promise<void> {
  const outcome = await transaction[kind](model, item)
  if (outcome.kind !== 'written') throw cannotWrite({ model, item, reason: reasonOf(outcome) })
}

export function cannotWrite({ model, item, reason }: MissingTarget): Error {
  return new Error(`Cannot write ${nameOf(model, item.id)}: ${reason}.`)
}

/** Why a store did not write an item. */
export function reasonOf(outcome: Exclude<WriteOutcome, { kind: 'written' }>): string {
  switch (outcome.kind) {
    case 'exists':
      return 'another program has added an item with this id'
    case 'taken':
      return `another item of the target has the same '${outcome.field}'`
    case 'missing':
      return `the item that '${outcome.field}' leads to does not exist`
    case 'refused':
      return outcome.field === undefined
        ? 'the store cannot hold its values'
        : `the store cannot hold its '${outcome.field}'`
  }
}
