/** Changes of a map that are kept separately until they are committed. */
export interface Overlay<K, V> {
  get(key: K): V | undefined
  values(): Iterable<V>
  set(key: K, value: V): void
  delete(key: K): void
  /** The keys that were set or deleted. */
  changedKeys(): ReadonlySet<K>
  /** Writes the changes to the map. */
  commit(): void
}

export function overlay<K, V>(base: Map<K, V>): Overlay<K, V> {
  const set = new Map<K, V>()
  const deleted = new Set<K>()
  return {
    get: (key) => set.get(key) ?? (deleted.has(key) ? undefined : base.get(key)),
    *values() {
      for (const [key, value] of base) if (!set.has(key) && !deleted.has(key)) yield value
      yield* set.values()
    },
    set(key, value) {
      set.set(key, value)
    },
    delete(key) {
      set.delete(key)
      deleted.add(key)
    },
    changedKeys: () => new Set([...set.keys(), ...deleted]),
    commit() {
      for (const key of deleted) base.delete(key)
      for (const [key, value] of set) base.set(key, value)
    },
  }
}
