import { allowedValuesOf, type ScalarType } from '../../model/value-type.ts'
import { decimalToText, parseNumber } from '../../query/decimal-number.ts'
import { decimalNumber, maxDecimalLength, parseTypedValue, type TypedValue } from './typed-value.ts'

/**
 * Parses a value that the keys and results of groups are compared with. These are texts where JSON
 * has no such number, and so is a number here that no double holds.
 *
 * ```ts
 * parseExactValue(number, '27021597764222971') // { kind: 'value', value: '27021597764222971' }
 * parseExactValue(number, '9.50') // { kind: 'value', value: 9.5 }
 * ```
 */
export function parseExactValue(type: ScalarType, text: string): TypedValue {
  const typed = parseTypedValue(type, text)
  if (typed.kind === 'value' || allowedValuesOf(type)) return typed
  if (type.kind !== 'number' && type.kind !== 'integer') return typed
  if (!decimalNumber.test(text) || text.length > maxDecimalLength) return typed
  const number = parseNumber(text)
  if (!number) return typed
  const exact = decimalToText(number)
  return type.kind === 'integer' && exact.includes('.') ? typed : { kind: 'value', value: exact }
}
