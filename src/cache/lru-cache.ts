/** A cache that drops the entries that were not read for the longest time. */
export interface LruCache<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
}

/**
 * Keeps at least the last `capacity` entries and at most twice as many. Two generations drop almost
 * the same entries as a strict order of use, without a write on every hit.
 */
export function lruCache<K, V>(capacity: number): LruCache<K, V> {
  let recent = new Map<K, V>()
  let older = new Map<K, V>()
  let count = 0
  const set = (key: K, value: V): void => {
    if (count >= capacity) {
      older = recent
      recent = new Map()
      count = 0
    }
    // An entry that is set again counts twice, so that generations change a little early.
    recent.set(key, value)
    count++
  }
  return {
    get(key) {
      const value = recent.get(key)
      if (value !== undefined) return value
      const olderValue = older.get(key)
      if (olderValue !== undefined) set(key, olderValue)
      return olderValue
    },
    set,
  }
}
