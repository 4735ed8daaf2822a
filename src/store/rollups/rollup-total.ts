import type { RollupField } from '../../model/model-description.ts'
import { isDecimal, type ScalarType } from '../../model/value-type.ts'
import { compareScalars } from '../../query/compare.ts'
import {
  addDecimals,
  type DecimalNumber,
  decimalToText,
  divideDecimal,
  toDecimalNumber,
  zero,
} from '../../query/decimal-number.ts'
import type { Scalar } from '../../query/query-plan.ts'
import { comparisonKey } from '../evaluation/evaluate.ts'
import { canonicalValue } from '../groups/canonical-value.ts'

/** What a rollup is made of, exactly. */
export type RollupTotal =
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'sum'; readonly sum: DecimalNumber; readonly count: number }
  /** Null without values. */
  | { readonly kind: 'extreme'; readonly value: Scalar }

/** What changes of items do to a rollup. */
export type RollupDelta =
  | { readonly kind: 'count'; readonly count: number }
  | { readonly kind: 'sum'; readonly sum: DecimalNumber; readonly count: number }
  | {
      readonly kind: 'extreme'
      /** The best value among those that came, and among those that went; null for none. */
      readonly added: Scalar
      readonly removed: Scalar
    }

const noCount: RollupDelta = { kind: 'count', count: 0 }
const noSum: RollupDelta = { kind: 'sum', sum: zero, count: 0 }
const noExtremes: RollupDelta = { kind: 'extreme', added: null, removed: null }

export function noDelta({ computed }: RollupField): RollupDelta {
  switch (computed.function) {
    case 'count':
      return noCount
    case 'sum':
    case 'avg':
      return noSum
    case 'min':
    case 'max':
      return noExtremes
  }
}

/** The same with a value that came or went. */
export function withValue(
  field: RollupField,
  delta: RollupDelta,
  change: 'added' | 'removed',
  value: Scalar,
): RollupDelta {
  const sign = change === 'added' ? 1 : -1
  switch (delta.kind) {
    case 'count':
      return { kind: 'count', count: delta.count + sign }
    case 'sum': {
      const number = numberOf(value)
      if (!number) return delta
      const sum = sign === 1 ? number : { ...number, digits: -number.digits }
      return { kind: 'sum', sum: addDecimals(delta.sum, sum), count: delta.count + sign }
    }
    case 'extreme':
      return { ...delta, [change]: better(field, delta[change], canonicalOf(field, value)) }
  }
}

/** Does it change nothing? */
export function isNothing(delta: RollupDelta): boolean {
  switch (delta.kind) {
    case 'count':
      return delta.count === 0
    case 'sum':
      return delta.count === 0 && delta.sum.digits === 0n
    case 'extreme':
      return delta.added === null && delta.removed === null
  }
}

/** Undefined if only the items know: the best value went. */
export function changedTotal(
  field: RollupField,
  total: RollupTotal,
  delta: RollupDelta,
): RollupTotal | undefined {
  if (total.kind === 'count' && delta.kind === 'count')
    return { kind: 'count', count: total.count + delta.count }
  if (total.kind === 'sum' && delta.kind === 'sum')
    return {
      kind: 'sum',
      sum: addDecimals(total.sum, delta.sum),
      count: total.count + delta.count,
    }
  if (total.kind !== 'extreme' || delta.kind !== 'extreme') return undefined
  const best = better(field, total.value, delta.added)
  const isLost = delta.removed !== null && compareValues(field, delta.removed, best) <= 0
  return isLost ? undefined : { kind: 'extreme', value: best }
}

/** The value of the field. */
export function valueOfTotal({ computed }: RollupField, total: RollupTotal): Scalar {
  if (total.kind === 'count') return total.count
  if (total.kind === 'extreme') return total.value
  if (computed.function === 'avg' && total.count === 0) return null
  const number = computed.function === 'avg' ? divideDecimal(total.sum, total.count) : total.sum
  const text = decimalToText(number)
  return isDecimal(typeOf(computed.source!)) ? text : nearestDouble(text)
}

/** JSON has no number beyond all doubles. */
function nearestDouble(text: string): number {
  const value = Number(text)
  return Number.isFinite(value) ? value : Math.sign(value) * Number.MAX_VALUE
}

function canonicalOf({ computed }: RollupField, value: Scalar): Scalar {
  return value === null ? null : canonicalValue(typeOf(computed.source!), value)
}

function numberOf(value: Scalar): DecimalNumber | undefined {
  return typeof value === 'number' || typeof value === 'string' ? toDecimalNumber(value) : undefined
}

function better(field: RollupField, one: Scalar, other: Scalar): Scalar {
  if (other === null) return one
  return one === null || compareValues(field, other, one) < 0 ? other : one
}

/** Negative if the first is better than the other; null is the worst. */
function compareValues({ computed }: RollupField, one: Scalar, other: Scalar): number {
  if (one === null || other === null) return one === other ? 0 : one === null ? 1 : -1
  const type = typeOf(computed.source!)
  const compared = compareScalars(comparisonKey(type, one), comparisonKey(type, other))
  return computed.function === 'min' ? compared : -compared
}

/** Registration has checked it. */
function typeOf({ type }: NonNullable<RollupField['computed']['source']>): ScalarType {
  return type as ScalarType
}
