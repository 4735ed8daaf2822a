import type { StoredItem } from '../stored-item/stored-item.ts'

const owned = new WeakSet<readonly StoredItem[]>()

/** Says that nothing else needs this array: who has written its items may empty it. */
export function ownItems(items: StoredItem[]): readonly StoredItem[] {
  owned.add(items)
  return items
}

/**
 * Empties a batch that is of no use to anybody else, and does nothing with others. Generators that
 * wait for their reader hold on to what they gave last, and the engine collects texts late that
 * were held for long.
 */
export function freeItems(items: readonly StoredItem[]): void {
  if (owned.delete(items)) (items as StoredItem[]).length = 0
}
