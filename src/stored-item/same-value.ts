import { isDeepStrictEqual } from 'node:util'

/**
 * Are two stored values the same? JSON values, as most are, are compared faster than Node.js
 * compares any values.
 *
 * ```ts
 * isSameValue([{ year: 1965 }], [{ year: 1965 }]) // true
 * ```
 */
export function isSameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (!isObject(one) || !isObject(other)) return false
  if (Array.isArray(one) && Array.isArray(other))
    return (
      one.length === other.length &&
      one.every((element, index) => isSameValue(element, other[index]))
    )
  if (!isPlain(one) || !isPlain(other)) return isDeepStrictEqual(one, other)
  const names = Object.keys(one)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isSameValue(one[name], other[name]))
  )
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}

function isPlain(value: object): boolean {
  return Object.getPrototypeOf(value) === Object.prototype
}
