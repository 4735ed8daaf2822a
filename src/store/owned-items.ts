import type { StoredItem } from '../stored-item/stored-item.ts'

const owned = new WeakSet<readonly StoredItem[]>()

/** Marks an array that nothing else uses, so that whoever writes its items may empty it. */
export function ownItems(items: StoredItem[]): readonly StoredItem[] {
  owned.add(items)
  return items
}

/**
 * Empties an array that {@link ownItems} marked, and leaves all others alone. A generator that
 * waits for its reader keeps its last batch alive, and V8 collects long-lived strings late.
 */
export function freeItems(items: readonly StoredItem[]): void {
  if (owned.delete(items)) (items as StoredItem[]).length = 0
}
