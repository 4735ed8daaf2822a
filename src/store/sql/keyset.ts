import type { Position, Scalar, SortDirection } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import { isNotNullSql, isNullSql } from './compile-condition.ts'
import { orderedSql, orderedValues, type ScalarSql } from './compile-path.ts'
import { valueMark } from './compiled-statement.ts'
import { allOfSql, anyOfSql, falseSql, trueSql } from './logic.ts'
import { rowSql } from './row-value.ts'
import { rangeEndSql } from './table.ts'

/** One term of ORDER BY; the id is the last. */
export interface OrderKey {
  readonly scalar: ScalarSql
  readonly direction: SortDirection
  /** Is it a value of a joined row? */
  readonly isOfOtherTable?: true
}

interface Term extends OrderKey {
  readonly value: Scalar
  /** Several for a row. */
  readonly parameters: readonly string[]
}

/**
 * Conditions for the rows after a position; exactly one of them holds for each such row. The first
 * is for rows that equal the position in all keys but the last, and so on. Each condition is one
 * range of an index, whatever the directions and with or without nulls.
 */
export function rangesAfterPosition(
  { dialect }: Compilation,
  keys: readonly OrderKey[],
  position: Position,
  valueIndex: number,
): readonly string[] {
  const terms = keys.map((key, index): Term => {
    const value = position[index] ?? null
    const mark = valueMark(valueIndex + index)
    const bound = dialect.binder.needsEscape(value) ? dialect.unescape(mark) : mark
    return { ...key, value, parameters: positionOperands(key.scalar, bound) }
  })
  const [first, id] = terms
  if (terms.length === 2 && first!.value !== null && first!.direction === id!.direction) {
    const operator = first!.direction === 'asc' ? '>' : '<'
    const values = [...orderedValues(first!.scalar), ...orderedValues(id!.scalar)]
    const row = `${rowSql(values)} ${operator} ${rowSql([...first!.parameters, ...id!.parameters])}`
    return [row, operator === '<' ? isNullSql(first!.scalar) : falseSql].filter(
      (condition) => condition !== falseSql,
    )
  }
  return terms
    .flatMap((term, index) =>
      isAfterTermSql(term).map((condition) =>
        allOfSql([...terms.slice(0, index).map(isEqualSql), condition]),
      ),
    )
    .reverse()
    .filter((condition) => condition !== falseSql)
}

/** One condition for the rows after a position. */
export function isAfterPosition(
  compilation: Compilation,
  keys: readonly OrderKey[],
  position: Position,
  valueIndex: number,
): string {
  return anyOfSql(rangesAfterPosition(compilation, keys, position, valueIndex))
}

/**
 * The part of the condition that bounds an index range by the first key alone: this key is not
 * before the position.
 */
export function isFirstKeyInRange(
  { dialect }: Compilation,
  [first]: readonly OrderKey[],
  [value]: Position,
  valueIndex: number,
): string {
  if (!first || first.scalar.isNullable || value === null || value === undefined) return trueSql
  if (dialect.binder.needsEscape(value)) return trueSql
  const parameter = rowSql(positionOperands(first.scalar, valueMark(valueIndex)))
  return `${orderedSql(first.scalar)} ${first.direction === 'asc' ? '>=' : '<='} ${parameter}`
}

/** A position has values in the form that compares, so that date-times need no conversion. */
function positionOperands({ native }: ScalarSql, bound: string): readonly string[] {
  if (!native) return [bound]
  return native.operands?.(bound) ?? [(native.position ?? native.operand)(bound)]
}

/**
 * The keys for ORDER BY. A sort may have the id before its end: keys after it order nothing, and
 * with them SQLite sorts rows that an index has in order.
 */
export function keysUpToId(keys: readonly OrderKey[]): readonly OrderKey[] {
  const id = keys.at(-1)!.scalar.sql
  return keys.slice(0, keys.findIndex(({ scalar }) => scalar.sql === id) + 1)
}

/**
 * The range of the column of the first key from a position on, where only this range has an index.
 */
export function isFirstColumnInRange(
  { dialect }: Compilation,
  [first]: readonly OrderKey[],
  [value]: Position,
  valueIndex: number,
): string {
  const range = first?.scalar.native?.columnRange
  const stored = first?.scalar.stored
  if (!range || stored === undefined || value === null || value === undefined) return trueSql
  const mark = valueMark(valueIndex)
  const bound = dialect.binder.needsEscape(value) ? dialect.unescape(mark) : mark
  const parameter = rowSql(positionOperands(first.scalar, bound))
  if (first.direction === 'asc') return rangeEndSql(range.from, stored, parameter)
  return anyOfSql([rangeEndSql(range.until, stored, parameter), isNullSql(first.scalar)])
}

export function reverseKeys(keys: readonly OrderKey[]): readonly OrderKey[] {
  return keys.map((key) => ({ ...key, direction: key.direction === 'asc' ? 'desc' : 'asc' }))
}

function isEqualSql({ scalar, value, parameters }: Term): string {
  return value === null ? isNullSql(scalar) : `${orderedSql(scalar)} = ${rowSql(parameters)}`
}

/** Null is the smallest value: first in ascending order, last in descending order. */
function isAfterTermSql({ scalar, direction, value, parameters }: Term): readonly string[] {
  const parameter = rowSql(parameters)
  if (direction === 'asc')
    return [value === null ? isNotNullSql(scalar) : `${orderedSql(scalar)} > ${parameter}`]
  return value === null ? [falseSql] : [`${orderedSql(scalar)} < ${parameter}`, isNullSql(scalar)]
}
