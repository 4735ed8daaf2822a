import type { Position, Scalar, SortDirection } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import { isNotNullSql, isNullSql } from './compile-condition.ts'
import type { ScalarSql } from './compile-path.ts'
import { valueMark } from './compiled-statement.ts'
import { allOfSql, anyOfSql, falseSql, trueSql } from './logic.ts'

/** One term of a list's order; the id is the last. */
export interface OrderKey {
  readonly scalar: ScalarSql
  readonly direction: SortDirection
}

interface Term extends OrderKey {
  readonly value: Scalar
  readonly parameter: string
}

/**
 * The rows beyond a position in the order of the keys, as conditions of which exactly one holds for
 * each such row: first those that agree with the position in all keys but the last, and so on.
 * Apart they are ranges that an index serves in order, null or not, and whatever the directions.
 */
export function rangesAfterPosition(
  { dialect }: Compilation,
  keys: readonly OrderKey[],
  position: Position,
  slot: number,
): readonly string[] {
  const terms = keys.map((key, index): Term => {
    const value = position[index] ?? null
    const mark = valueMark(slot + index)
    const isEscaped = dialect.binder.needsEscape(value)
    return { ...key, value, parameter: isEscaped ? dialect.unescape(mark) : mark }
  })
  const [first, id] = terms
  if (terms.length === 2 && first!.value !== null && first!.direction === id!.direction) {
    const sign = first!.direction === 'asc' ? '>' : '<'
    const row = `(${first!.scalar.sql}, ${id!.scalar.sql}) ${sign} (${first!.parameter}, ${id!.parameter})`
    return [row, sign === '<' ? isNullSql(first!.scalar) : falseSql].filter(
      (part) => part !== falseSql,
    )
  }
  return terms
    .flatMap((term, index) =>
      isAfterTermSql(term).map((part) =>
        allOfSql([...terms.slice(0, index).map(isEqualSql), part]),
      ),
    )
    .reverse()
    .filter((part) => part !== falseSql)
}

/** The same as one condition. */
export function isAfterPosition(
  compilation: Compilation,
  keys: readonly OrderKey[],
  position: Position,
  slot: number,
): string {
  return anyOfSql(rangesAfterPosition(compilation, keys, position, slot))
}

/**
 * What of it is one range of an index whatever the other keys are: the first key does not lie
 * before the position's.
 */
export function isFirstKeyInRange(
  { dialect }: Compilation,
  [first]: readonly OrderKey[],
  [value]: Position,
  slot: number,
): string {
  if (!first || first.scalar.isNullable || value === null || value === undefined) return trueSql
  if (dialect.binder.needsEscape(value)) return trueSql
  return `${first.scalar.sql} ${first.direction === 'asc' ? '>=' : '<='} ${valueMark(slot)}`
}

export function reverseKeys(keys: readonly OrderKey[]): readonly OrderKey[] {
  return keys.map((key) => ({ ...key, direction: key.direction === 'asc' ? 'desc' : 'asc' }))
}

function isEqualSql({ scalar, value, parameter }: Term): string {
  return value === null ? isNullSql(scalar) : `${scalar.sql} = ${parameter}`
}

/** Null is the smallest: first in ascending order, last in descending order. */
function isAfterTermSql({ scalar, direction, value, parameter }: Term): readonly string[] {
  if (direction === 'asc')
    return [value === null ? isNotNullSql(scalar) : `${scalar.sql} > ${parameter}`]
  return value === null ? [falseSql] : [`${scalar.sql} < ${parameter}`, isNullSql(scalar)]
}
