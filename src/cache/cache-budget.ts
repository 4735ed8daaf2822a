import type { LruCache } from './lru-cache.ts'

/**
 * Caches that share a number of bytes. They drop the entries that were not read for the longest
 * time, in whichever cache these are.
 */
export interface CacheBudget {
  /** A further cache; `bytesOf` is the size of a value. */
  cache<K, V>(bytesOf: (value: V) => number): LruCache<K, V>
  /** The bytes of all entries, some of which may count twice. */
  heldBytes(): number
}

/**
 * Two generations drop almost the same entries as a strict order of use, without a write on every
 * hit. All caches change generations together.
 * @param maxBytes of both generations; a value of more than half of them is not kept
 */
export function cacheBudget(maxBytes: number): CacheBudget {
  const generationBytes = maxBytes / 2
  // A router variant that is dropped leaves empty caches, which the next generation forgets.
  const filled = new Set<Generations>()
  let recentBytes = 0
  let olderBytes = 0

  const addBytes = (bytes: number): void => {
    if (recentBytes > 0 && recentBytes + bytes > generationBytes) {
      olderBytes = recentBytes
      recentBytes = 0
      for (const cache of filled) if (cache.advance() === 'empty') filled.delete(cache)
    }
    recentBytes += bytes
  }

  return {
    heldBytes() {
      return recentBytes + olderBytes
    },
    cache<K, V>(bytesOf: (value: V) => number): LruCache<K, V> {
      let recent = new Map<K, V>()
      let older = new Map<K, V>()
      const generations: Generations = {
        advance() {
          if (recent.size === 0 && older.size === 0) return 'empty'
          older = recent
          recent = new Map()
          return 'filled'
        },
      }
      const set = (key: K, value: V): void => {
        const bytes = bytesOf(value)
        if (bytes > generationBytes) return
        addBytes(bytes)
        filled.add(generations)
        recent.set(key, value)
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
    },
  }
}

/** The entries of one cache. */
interface Generations {
  /** Drops the older generation. */
  advance(): 'filled' | 'empty'
}
