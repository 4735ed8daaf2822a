import type { Position, Scalar, SortDirection, SortKey } from './query-plan.ts'

/**
 * The total order of scalars: null, then booleans (false first), numbers, and text by code point.
 * Negative when the first comes first, 0 when they are equal.
 *
 * ```ts
 * ['b', null, 'a'].sort(compareScalars) // [null, 'a', 'b']
 * ```
 */
export function compareScalars(one: Scalar, other: Scalar): number {
  if (typeof one === 'string' && typeof other === 'string') return compareText(one, other)
  const ranks = rankOf(one) - rankOf(other)
  if (ranks !== 0 || one === null || other === null) return ranks
  return one === other ? 0 : one < other ? -1 : 1
}

/**
 * Can one value be less or greater than the other? Values of different types cannot; null is less
 * than a value of any type.
 *
 * ```ts
 * areComparable(10, null) // true
 * areComparable(10, '10') // false
 * ```
 */
export function areComparable(one: Scalar, other: Scalar): boolean {
  return one === null || other === null || typeof one === typeof other
}

/**
 * Compares strings by code point, as SQL stores order UTF-8. The `<` of JavaScript compares UTF-16
 * units, and so puts characters beyond the Basic Multilingual Plane before U+E000. The result is
 * negative, 0 or positive.
 *
 * ```ts
 * compareText('\uFFFD', '\u{1F600}') < 0 // true
 * '\uFFFD' < '\u{1F600}' // false
 * ```
 */
export function compareText(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let index = 0; index < length; index++) {
    const order = codePointWeight(one.charCodeAt(index)) - codePointWeight(other.charCodeAt(index))
    if (order !== 0) return order
  }
  return one.length - other.length
}

/** Ranks surrogates above all other units. Among themselves they are in code point order. */
function codePointWeight(unit: number): number {
  if (unit < 0xd800) return unit
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800
}

function rankOf(value: Scalar): number {
  if (value === null) return 0
  if (typeof value === 'boolean') return 1
  return typeof value === 'number' ? 2 : 3
}

/**
 * The direction in which ids order items that are equal in all sort keys: that of the last key, so
 * that an index, read forwards or backwards, has both orders. Ids ascend where there is no key.
 */
export function idDirection(sort: readonly SortKey[]): SortDirection {
  return sort.at(-1)?.direction ?? 'asc'
}

/**
 * Compares positions as every store orders them: by the sort keys, then by id.
 *
 * ```ts
 * const compare = positionComparator([{ path: toFieldPath('price'), direction: 'desc' }])
 * const positions: Position[] = [[9.5, 'dune'], [12, 'emma']]
 * positions.sort(compare) // [[12, 'emma'], [9.5, 'dune']]
 * ```
 */
export function positionComparator(
  sort: readonly SortKey[],
): (one: Position, other: Position) => number {
  const tieSign = idDirection(sort) === 'asc' ? 1 : -1
  return (one, other) => {
    for (const [index, { direction }] of sort.entries()) {
      const order = compareScalars(one[index] ?? null, other[index] ?? null)
      if (order !== 0) return direction === 'asc' ? order : -order
    }
    return tieSign * compareText(String(one[sort.length]), String(other[sort.length]))
  }
}
