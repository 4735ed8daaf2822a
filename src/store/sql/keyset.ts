import type { Direction, Position, Scalar } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import { hasValue, isNull } from './compile-condition.ts'
import type { ScalarSql } from './compile-path.ts'
import { slotMark } from './compiled.ts'
import { allOfSql, anyOfSql, no, yes } from './logic.ts'

/** One term of a list's order; the id is the last. */
export interface OrderKey {
  readonly scalar: ScalarSql
  readonly direction: Direction
}

interface Term extends OrderKey {
  readonly value: Scalar
  readonly parameter: string
}

/**
 * The rows beyond a position in the order of the keys, as conditions of which exactly one holds for each such row: first
 * those that agree with the position in all keys but the last, and so on. Apart they are ranges that an index serves in
 * order, null or not, and whatever the directions.
 */
export function beyond(
  { dialect }: Compilation,
  keys: readonly OrderKey[],
  position: Position,
  slot: number,
): readonly string[] {
  const terms = keys.map((key, index): Term => {
    const value = position[index] ?? null
    const mark = slotMark(slot + index)
    const isEscaped = dialect.binder.needsEscape(value)
    return { ...key, value, parameter: isEscaped ? dialect.unescaped(mark) : mark }
  })
  const [first, id] = terms
  if (terms.length === 2 && first!.value !== null && first!.direction === id!.direction) {
    const sign = first!.direction === 'asc' ? '>' : '<'
    const row = `(${first!.scalar.sql}, ${id!.scalar.sql}) ${sign} (${first!.parameter}, ${id!.parameter})`
    return [row, sign === '<' ? isNull(first!.scalar) : no].filter((part) => part !== no)
  }
  return terms
    .flatMap((term, index) => further(term).map((part) => allOfSql([...terms.slice(0, index).map(agrees), part])))
    .reverse()
    .filter((part) => part !== no)
}

/** The same as one condition. */
export function isBeyond(
  compilation: Compilation,
  keys: readonly OrderKey[],
  position: Position,
  slot: number,
): string {
  return anyOfSql(beyond(compilation, keys, position, slot))
}

/** What of it is one range of an index whatever the other keys are: the first key does not lie before the position's. */
export function notBefore(
  { dialect }: Compilation,
  [first]: readonly OrderKey[],
  [value]: Position,
  slot: number,
): string {
  if (!first || first.scalar.nullable || value === null || value === undefined) return yes
  if (dialect.binder.needsEscape(value)) return yes
  return `${first.scalar.sql} ${first.direction === 'asc' ? '>=' : '<='} ${slotMark(slot)}`
}

export function reversed(keys: readonly OrderKey[]): readonly OrderKey[] {
  return keys.map((key) => ({ ...key, direction: key.direction === 'asc' ? 'desc' : 'asc' }))
}

function agrees({ scalar, value, parameter }: Term): string {
  return value === null ? isNull(scalar) : `${scalar.sql} = ${parameter}`
}

/** Null is the smallest: first in ascending order, last in descending order. */
function further({ scalar, direction, value, parameter }: Term): readonly string[] {
  if (direction === 'asc') return [value === null ? hasValue(scalar) : `${scalar.sql} > ${parameter}`]
  return value === null ? [no] : [`${scalar.sql} < ${parameter}`, isNull(scalar)]
}
