import type { ModelDescription } from '../../model/model-description.ts'
import { itemKey } from '../../stored-item/item-key.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/** What the transaction knows of an item. */
type ReadItem =
  /** Another transaction may have changed it. */
  | { readonly kind: 'listed'; readonly item: StoredItem }
  /** Nobody else changes it before the end of the transaction. */
  | { readonly kind: 'locked'; readonly item: StoredItem }
  | { readonly kind: 'lockedId' }

/**
 * The items that a transaction has read. Lists do not lock, so another transaction may change an
 * item of a list before this one writes it: their content is kept.
 */
export class ReadItems {
  readonly #items = new Map<string, ReadItem>()

  addListed(model: ModelDescription, items: readonly StoredItem[]): void {
    for (const item of items) this.#addUnlessLocked(model, item.id, { kind: 'listed', item })
  }

  /** Adds items of lists where nobody else writes. */
  addLockedIds(model: ModelDescription, items: readonly StoredItem[]): void {
    for (const { id } of items) this.#addUnlessLocked(model, id, { kind: 'lockedId' })
  }

  addLocked(model: ModelDescription, item: StoredItem): void {
    this.#items.set(itemKey(model, item.id), { kind: 'locked', item })
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
    return read?.kind === 'locked' ? read.item : undefined
  }

  /** May another transaction have changed it? */
  isListed(model: ModelDescription, id: string): boolean {
    return this.#items.get(itemKey(model, id))?.kind === 'listed'
  }

  /** Is an item of a list as it was? */
  isUnchanged(model: ModelDescription, { id, text, hiddenText }: StoredItem): boolean {
    const read = this.#items.get(itemKey(model, id))
    return read?.kind === 'listed' && read.item.text === text && read.item.hiddenText === hiddenText
  }

  #addUnlessLocked(model: ModelDescription, id: string, read: ReadItem): void {
    const key = itemKey(model, id)
    if (this.#items.get(key)?.kind !== 'locked') this.#items.set(key, read)
  }
}
