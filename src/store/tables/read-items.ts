import type { ModelDescription } from '../../model/model-description.ts'
import { itemKey } from '../../stored-item/item-key.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/** `item` is undefined where nobody needs its content. */
interface ReadItem {
  readonly isLocked: boolean
  readonly item: StoredItem | undefined
}

/**
 * The items that a transaction has read. Lists do not lock, so another transaction may change an
 * item of a list before this one writes it: their content is kept.
 */
export class ReadItems {
  readonly #items = new Map<string, ReadItem>()

  addListed(model: ModelDescription, items: readonly StoredItem[]): void {
    for (const item of items) this.#items.set(itemKey(model, item.id), { isLocked: false, item })
  }

  /** Adds items that nobody else changes before the end of the transaction. */
  addLockedIds(model: ModelDescription, items: readonly StoredItem[]): void {
    for (const { id } of items)
      this.#items.set(itemKey(model, id), { isLocked: true, item: undefined })
  }

  /** Adds an item that nobody else changes before the end of the transaction. */
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

  isUnchanged(model: ModelDescription, item: StoredItem): boolean {
    const before = this.#items.get(itemKey(model, item.id))?.item
    return before?.text === item.text && before.hiddenText === item.hiddenText
  }
}
