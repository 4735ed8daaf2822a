import { comparedAs, type ScalarType } from '../../model/value-type.ts'
import { fromDecimalKey } from '../../query/decimal.ts'
import { decimalToText, toDecimalNumber } from '../../query/decimal-number.ts'
import { toInstantKey } from '../../query/instant.ts'
import type { Scalar } from '../../query/query-plan.ts'

/**
 * A value as groups have it, the same for all values that are equal: date-times in UTC, decimal
 * numbers without zeros at the end. The value may be in the form in which its store compares it.
 *
 * ```ts
 * canonicalValue({ kind: 'text', format: 'date-time' }, '2026-01-01T01:00:00+01:00')
 * // '2026-01-01T00:00:00Z'
 * ```
 */
export function canonicalValue(type: ScalarType, value: Scalar): Scalar {
  if (type.kind === 'boolean') return typeof value === 'number' ? value !== 0 : value
  if (typeof value === 'number') return value === 0 ? 0 : value
  if (typeof value !== 'string') return value
  // A column may have more digits than a number of JavaScript.
  if (type.kind === 'number') return Number(value)
  switch (comparedAs(type)) {
    case 'instant':
      return canonicalInstant(value)
    case 'decimal':
      return fromDecimalKey(value) ?? canonicalDecimal(value)
    case undefined:
      return value
  }
}

function canonicalDecimal(text: string): string {
  const number = toDecimalNumber(text)
  return number ? decimalToText(number) : text
}

const instantKey = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2})?(?:\.\d+)?$/

function canonicalInstant(text: string): string {
  const key = toInstantKey(text)
  return instantKey.test(key) ? `${key}Z` : key
}
