import type { ModelDescription } from '../../model/model-description.ts'
import { itemKey } from '../../stored-item/item-key.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

interface ReadItem {
  /** Is it as it is stored until the end of the transaction? Else another one may change it. */
  readonly isLocked: boolean
  readonly item: StoredItem
}

/**
 * The items that a transaction has read. Lists do not lock, so another transaction may change an
 * item of a list before this one writes it: their content is kept.
 */
export class ReadItems {
  readonly #items = new Map<string, ReadItem>()

  addListed(model: ModelDescription, items: readonly StoredItem[]): void {
    for (const item of items) {
      const key = itemKey(model, item.id)
      if (!this.#items.get(key)?.isLocked) this.#items.set(key, { isLocked: false, item })
    }
  }

  addLocked(model: ModelDescription, item: StoredItem): void {
    this.#items.set(itemKey(model, item.id), { isLocked: true, item })
  }

  delete(model: ModelDescription, id: string): void {
    this.#items.delete(itemKey(model, id))
  }

  has(model: ModelDescription, id: string): boolean {
    return this.#items.has(itemKey(model, id))
  }

  /** The item as it is stored; undefined if the transaction does not know. */
  lockedItem(model: ModelDescription, id: string): StoredItem | undefined {
    const read = this.#items.get(itemKey(model, id))
    return read?.isLocked ? read.item : undefined
  }

  /** May another transaction have changed it? */
  isListed(model: ModelDescription, id: string): boolean {
    return this.#items.get(itemKey(model, id))?.isLocked === false
  }

  /** Is an item of a list as it was? */
  isUnchanged(model: ModelDescription, { id, text, hiddenText }: StoredItem): boolean {
    const read = this.#items.get(itemKey(model, id))
    return read?.item.text === text && read.item.hiddenText === hiddenText
  }
}
