import {
  createStoredItem,
  type OwnedRelation,
  readStoredValues,
  type StoredItem,
  type StoredValues,
} from '../../store/public.ts'
import { canonicalLinkage, canonicalText } from './canonical-item.ts'
import type { MovedItem } from './item-source.ts'
import { findBatch } from './target-items.ts'
import type { Move } from './write-items.ts'
import { writeTransaction } from './write-transaction.ts'

/** Writes the deferred relations of a batch of items, in one transaction. */
export async function writeRelations(move: Move, batch: readonly MovedItem[]): Promise<void> {
  let conflicts: MovedItem[] = []
  await writeTransaction(move.target.store, async (write, transaction) => {
    conflicts = []
    const find = await findBatch(transaction, batch)
    for (const moved of batch) {
      const relation = relationChange(move, moved, find(moved))
      if (relation.kind === 'conflict') conflicts.push(moved)
      if (relation.kind !== 'change') continue
      await write({ kind: 'replace', model: moved.model, item: relation.item })
    }
  })
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
  // Then the item is a conflict already, or has changed since.
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

function deferredOf({ plans }: Move, { model }: MovedItem): readonly OwnedRelation[] {
  return plans.find((plan) => plan.model === model)!.deferred
}

function isEmpty(linkage: unknown): boolean {
  return Array.isArray(linkage) ? linkage.length === 0 : (linkage ?? null) === null
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(canonicalLinkage(one)) === JSON.stringify(canonicalLinkage(other))
}
