import type { ModelDescription } from '../../model/model-description.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/**
 * The content of items that a transaction read in lists. Lists do not lock, so another transaction
 * may change an item before this one writes it.
 */
export class ListedItems {
  readonly #contents = new Map<string, string>()

  add(model: ModelDescription, items: readonly StoredItem[]): void {
    for (const item of items) this.#contents.set(keyOf(model, item.id), contentOf(item))
  }

  /** For an item that is locked or written by now. */
  delete(model: ModelDescription, id: string): void {
    this.#contents.delete(keyOf(model, id))
  }

  has(model: ModelDescription, id: string): boolean {
    return this.#contents.has(keyOf(model, id))
  }

  isUnchanged(model: ModelDescription, item: StoredItem): boolean {
    return this.#contents.get(keyOf(model, item.id)) === contentOf(item)
  }
}

function keyOf({ name }: ModelDescription, id: string): string {
  return `${name} ${id}`
}

function contentOf({ text, hiddenText }: StoredItem): string {
  return `${text}${hiddenText ?? ''}`
}
