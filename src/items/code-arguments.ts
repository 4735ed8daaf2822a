/**
 * JavaScript may give the members that items must have, as other libraries take them. Without a
 * query, a write would change all items.
 * @throws TypeError
 */
export function expectQuery(call: string, query: unknown): void {
  if (typeof query !== 'function')
    throw new TypeError(
      `${call} expects a query function, such as (q) => q.where('price').lessThan(5).`,
    )
}

/**
 * Items that may be iterated only once.
 * @throws TypeError for a single item
 */
export function expectItems<T>(call: string, values: Iterable<T>): readonly T[] {
  if (typeof values === 'object' && values !== null && Symbol.iterator in values) return [...values]
  throw new TypeError(`${call} expects an array or another iterable of items.`)
}

/** @throws TypeError */
export function expectNames(call: string, option: string, names: unknown): void {
  if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return
  throw new TypeError(`The option '${option}' of ${call} must be an array of names.`)
}
