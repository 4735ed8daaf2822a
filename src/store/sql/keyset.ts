import type { Position, Scalar, SortDirection } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import { orderedSql, orderedValues, type ScalarSql } from './compile-path.ts'
import { valueMark } from './compiled-statement.ts'
import { allOfSql, anyOfSql, falseSql, trueSql } from './logic.ts'
import { isNotNullSql, isNullSql } from './null-sql.ts'
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

/** Rows that one range of an index has, as a condition. */
export interface KeyRange {
  readonly condition: string
  /**
   * The values, as SQL, of the first keys, where they are the same in all rows and an index has
   * expressions. ORDER BY leaves these keys out: SQLite does so by itself for columns only.
   */
  readonly fixedKeys: readonly string[]
}

/**
 * The rows after a position; exactly one of the ranges has each such row. The first is for rows
 * that equal the position in all keys but the last, and so on. Each is one range of an index,
 * whatever the directions and with or without nulls.
 */
export function rangesAfterPosition(
  { dialect }: Compilation,
  keys: readonly OrderKey[],
  position: Position,
  valueIndex: number,
): readonly KeyRange[] {
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
    // A row of an expression and the id is no range of an index.
    const start = isByValue(first!)
      ? `${orderedSql(first!.scalar)} ${operator}= ${rowSql(first!.parameters)}`
      : trueSql
    const nulls = operator === '<' ? isNullSql(first!.scalar) : falseSql
    return [
      { condition: allOfSql([start, row]), fixedKeys: [] },
      { condition: nulls, fixedKeys: isByValue(first!) ? ['null'] : [] },
    ].filter(({ condition }) => condition !== falseSql)
  }
  return terms
    .flatMap((term, index) => {
      const equalTerms = terms.slice(0, index)
      return isAfterTermSql(term).map(({ condition, fixed }): KeyRange => {
        const fixedTerms = [...equalTerms, ...fixed]
        return {
          condition: allOfSql([...equalTerms.map(isEqualSql), condition]),
          fixedKeys: fixedTerms.some(isByValue) ? fixedTerms.map(keySql) : [],
        }
      })
    })
    .reverse()
    .filter(({ condition }) => condition !== falseSql)
}

/** One condition for the rows after a position. */
export function isAfterPosition(
  compilation: Compilation,
  keys: readonly OrderKey[],
  position: Position,
  valueIndex: number,
): string {
  return anyOfSql(
    rangesAfterPosition(compilation, keys, position, valueIndex).map(({ condition }) => condition),
  )
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

/** Is the key an expression that an index has? */
function isByValue({ scalar }: OrderKey): boolean {
  return scalar.column?.isIndexedByValue === true
}

/** The value of the key in rows that equal the position. */
function keySql({ value, parameters }: Term): string {
  return value === null ? 'null' : rowSql(parameters)
}

/** Rows after a term, and the terms whose values are the same in all of them. */
interface RowsAfterTerm {
  readonly condition: string
  readonly fixed: readonly Term[]
}

/** Null is the smallest value: first in ascending order, last in descending order. */
function isAfterTermSql(term: Term): readonly RowsAfterTerm[] {
  const { scalar, direction, value, parameters } = term
  const compared = (operator: '<' | '>') => ({
    condition: `${orderedSql(scalar)} ${operator} ${rowSql(parameters)}`,
    fixed: [],
  })
  if (direction === 'asc')
    return value === null ? [{ condition: isPresentSql(scalar), fixed: [] }] : [compared('>')]
  if (value === null) return []
  return [compared('<'), { condition: isNullSql(scalar), fixed: [{ ...term, value: null }] }]
}

/** Has a row a value? An index of expressions serves a range here, but not NOT NULL. */
function isPresentSql(scalar: ScalarSql): string {
  const { sql, column, native } = scalar
  const inRange = column?.isIndexedByValue && scalar.isNullable && native?.isPresent?.(sql)
  return inRange || isNotNullSql(scalar)
}
