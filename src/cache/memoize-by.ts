/**
 * Makes what belongs to an object once, and keeps it as long as the object.
 * @param make what else it is given has to be the same whenever the object is
 */
export function memoizeBy<K extends object, V extends {}, Rest extends readonly unknown[]>(
  make: (key: K, ...rest: Rest) => V,
): (key: K, ...rest: Rest) => V {
  const known = new WeakMap<K, V>()
  return (key, ...rest) => {
    const found = known.get(key)
    if (found !== undefined) return found
    const made = make(key, ...rest)
    known.set(key, made)
    return made
  }
}
