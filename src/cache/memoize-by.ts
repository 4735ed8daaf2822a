/**
 * Computes a value for an object once, and keeps it as long as the object lives.
 * @param compute its further arguments have to be the same whenever the object is the same
 */
export function memoizeBy<K extends object, V extends {}, Rest extends readonly unknown[]>(
  compute: (key: K, ...rest: Rest) => V,
): (key: K, ...rest: Rest) => V {
  const values = new WeakMap<K, V>()
  return (key, ...rest) => {
    const cached = values.get(key)
    if (cached !== undefined) return cached
    const value = compute(key, ...rest)
    values.set(key, value)
    return value
  }
}
