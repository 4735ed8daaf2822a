import type { OwnedRelation } from '../model/model-description.ts'
import type { StoreTransaction } from '../store/store.ts'
import { createStoredItem, readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'
import { canonicalLinkage, canonicalText } from './canonical-item.ts'
import type { MovedItem } from './item-source.ts'
import { explained } from './missing-target.ts'
import { findBatch } from './target-items.ts'
import { cannotWrite, type Move, reasonOf } from './write-items.ts'

/** Writes the deferred relations of a batch of items, in one transaction. */
export async function writeRelations(move: Move, batch: readonly MovedItem[]): Promise<void> {
  let written: { readonly moved: MovedItem; readonly item: StoredItem }[] = []
  let conflicts: MovedItem[] = []
  try {
    await move.target.store.write(async (transaction) => {
      // The function may run again.
      written = []
      conflicts = []
      const find = await findBatch(transaction, batch)
      for (const moved of batch) {
        const relation = relationChange(move, moved, find(moved))
        if (relation.kind === 'conflict') conflicts.push(moved)
        if (relation.kind !== 'change') continue
        written.push({ moved, item: relation.item })
        await replace(transaction, moved, relation.item)
      }
    })
  } catch (error) {
    const items = written.map(({ moved, item }) => ({ model: moved.model, item }))
    throw await explained(move.target.store, items, error, cannotWrite)
  }
  for (const moved of conflicts) move.conflicts.add(moved)
}

type RelationChange =
  | { readonly kind: 'none' | 'conflict' }
  | { readonly kind: 'change'; readonly item: StoredItem }

function relationChange(
  move: Move,
  moved: MovedItem,
  existing: StoredItem | undefined,
): RelationChange {
  const { model, values } = moved
  if (!existing) return { kind: 'none' }
  const before = readStoredValues(model, existing)
  const deferred = deferredOf(move, moved)
  // Then the item was told as a conflict before, or has changed since.
  if (canonicalText(model, values, deferred) !== canonicalText(model, before, deferred))
    return { kind: 'none' }
  const changed = deferred.filter(({ name }) => !isSame(values[name], before[name]))
  if (changed.length === 0) return { kind: 'none' }
  if (!move.overwrites && changed.some(({ name }) => !isEmpty(before[name])))
    return { kind: 'conflict' }
  const linkage = Object.fromEntries(deferred.map(({ name }) => [name, values[name]]))
  const after: StoredValues = { ...before, ...linkage }
  return { kind: 'change', item: createStoredItem(model, after, existing.revision + 1) }
}

async function replace(
  transaction: StoreTransaction,
  { model }: MovedItem,
  item: StoredItem,
): Promise<void> {
  const outcome = await transaction.replace(model, item)
  if (outcome.kind !== 'written') throw cannotWrite({ model, item, reason: reasonOf(outcome) })
}

function deferredOf({ plans }: Move, { model }: MovedItem): readonly OwnedRelation[] {
  return plans.find((plan) => plan.model === model)!.deferred
}

function isEmpty(linkage: unknown): boolean {
  return Array.isArray(linkage) ? linkage.length === 0 : (linkage ?? null) === null
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(canonicalLinkage(one)) === JSON.stringify(canonicalLinkage(other))
}
