import type { ModelDescription } from '../../model/model-description.ts'
import { itemKey } from '../../stored-item/item-key.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/**
 * The items that a transaction has read. Lists do not lock, so another transaction may change an
 * item of a list before this one writes it: their content is kept.
 */
export class ReadItems {
  /** Undefined for items that are locked. */
  readonly #contents = new Map<string, string | undefined>()

  addListed(model: ModelDescription, items: readonly StoredItem[]): void {
    for (const item of items) this.#contents.set(itemKey(model, item.id), contentOf(item))
  }

  /** Adds an item that nobody else changes before the end of the transaction. */
  addLocked(model: ModelDescription, id: string): void {
    this.#contents.set(itemKey(model, id), undefined)
  }

  delete(model: ModelDescription, id: string): void {
    this.#contents.delete(itemKey(model, id))
  }

  has(model: ModelDescription, id: string): boolean {
    return this.#contents.has(itemKey(model, id))
  }

  /** May another transaction have changed it? */
  isListed(model: ModelDescription, id: string): boolean {
    return this.#contents.get(itemKey(model, id)) !== undefined
  }

  isUnchanged(model: ModelDescription, item: StoredItem): boolean {
    return this.#contents.get(itemKey(model, item.id)) === contentOf(item)
  }
}

function contentOf({ text, hiddenText }: StoredItem): string {
  return `${text}${hiddenText ?? ''}`
}
