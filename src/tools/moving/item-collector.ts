import type { MovedItem } from './item-source.ts'
import type { ItemList, ItemName } from './move-options.ts'

const maxListedItems = 20

/** Counts items, and remembers the first ones. */
export class ItemCollector {
  #count = 0
  readonly #first: ItemName[] = []

  add({ model, values }: MovedItem): void {
    this.#count++
    if (this.#first.length < maxListedItems) this.#first.push({ model: model.name, id: values.id })
  }

  list(): ItemList {
    return { count: this.#count, first: this.#first }
  }
}
