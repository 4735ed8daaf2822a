/** A cache that forgets what has not been asked for in a while. */
export interface LruCache<K, V> {
  get(key: K): V | undefined
  set(key: K, value: V): void
}

/**
 * Keeps the last `capacity` entries at least, and twice as many at most; or, where they are
 * weighed, what they weigh together. Two generations forget almost what a strict order of use
 * would, without writing on every hit.
 */
export function lruCache<K, V>(
  capacity: number,
  weigh: (value: V) => number = () => 1,
): LruCache<K, V> {
  let young = new Map<K, V>()
  let old = new Map<K, V>()
  let weight = 0
  const set = (key: K, value: V): void => {
    if (weight >= capacity) {
      old = young
      young = new Map()
      weight = 0
    }
    // What is set again counts twice, which forgets a little early.
    young.set(key, value)
    weight += weigh(value)
  }
  return {
    get(key) {
      const fresh = young.get(key)
      if (fresh !== undefined) return fresh
      const aged = old.get(key)
      if (aged !== undefined) set(key, aged)
      return aged
    },
    set,
  }
}
