import { type ModelDescription, readStoredValues, type StoreReader } from '../../store/public.ts'
import { canonicalText } from './canonical-item.ts'
import { ContentHash } from './content-hash.ts'
import { checkBlobs } from './copied-blobs.ts'
import type { ItemCollector } from './item-collector.ts'
import type { MovedItem } from './item-source.ts'
import type { MovableStore } from './move-options.ts'
import { findBatch } from './target-items.ts'

/** Collects the items of a batch that a store does not have with the same content. */
export async function compareItems(
  store: StoreReader,
  batch: readonly MovedItem[],
  differing: ItemCollector,
): Promise<void> {
  const find = await findBatch(store, batch)
  for (const item of batch) {
    const other = find(item)
    const text = other && canonicalText(item.model, readStoredValues(item.model, other))
    if (text !== canonicalText(item.model, item.values)) differing.add(item)
  }
}

/** How many items a store has that its list did not have, such as those that were added since. */
export function missedItems(
  listed: ReadonlyMap<ModelDescription, number>,
  stored: ReadonlyMap<ModelDescription, number>,
): number {
  let missed = 0
  for (const [model, count] of stored) missed += Math.max(0, count - (listed.get(model) ?? 0))
  return missed
}

/** Compares items with their copies, one batch after the other. */
export class ItemCheck {
  readonly #target: MovableStore
  readonly #differing: ItemCollector
  readonly #hash = new ContentHash()
  /** How many items of each model were checked. */
  readonly counts: Map<ModelDescription, number> = new Map()
  resourceCount = 0

  /** @param differing gets the items whose copies differ */
  constructor(target: MovableStore, differing: ItemCollector) {
    this.#target = target
    this.#differing = differing
  }

  /** @throws Error if the bytes of a copy are missing, or not those that the item describes */
  async check(batch: readonly MovedItem[]): Promise<void> {
    const find = await findBatch(this.#target.store, batch)
    for (const moved of batch) {
      const { model, values } = moved
      const copy = find(moved)
      const copied = copy && readStoredValues(model, copy)
      const text = canonicalText(model, values)
      this.counts.set(model, (this.counts.get(model) ?? 0) + 1)
      this.#hash.add(model, text)
      if (copied === undefined || canonicalText(model, copied) !== text) this.#differing.add(moved)
      else this.resourceCount += await checkBlobs(this.#target.blobs, model, copied)
    }
  }

  sha256(): string {
    return this.#hash.digest()
  }
}
