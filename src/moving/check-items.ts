import { readStoredValues } from '../stored-item/create-stored-item.ts'
import { canonicalText } from './canonical-item.ts'
import { ContentHash } from './content-hash.ts'
import { checkBlobs } from './copied-blobs.ts'
import type { ItemCollector } from './item-collector.ts'
import type { MovedItem } from './item-source.ts'
import type { MovableStore } from './move-options.ts'
import { findBatch } from './target-items.ts'

/** Compares items with their copies, one batch after the other. */
export class ItemCheck {
  readonly #target: MovableStore
  readonly #differing: ItemCollector
  readonly #hash = new ContentHash()
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
      this.#hash.add(model, text)
      if (copied === undefined || canonicalText(model, copied) !== text) this.#differing.add(moved)
      else this.resourceCount += await checkBlobs(this.#target.blobs, model, copied)
    }
  }

  sha256(): string {
    return this.#hash.digest()
  }
}
