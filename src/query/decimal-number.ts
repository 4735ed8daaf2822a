import { decimalText } from './decimal.ts'

/** An exact number: `digits` divided by ten to the power of `scale`. */
export interface DecimalNumber {
  readonly digits: bigint
  readonly scale: number
}

export const zero: DecimalNumber = Object.freeze({ digits: 0n, scale: 0 })

const numberText = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i

/**
 * The number that a text or a JSON number writes, as it is written: 0.1 is a tenth, and not the
 * nearest double. Undefined for any other text.
 */
export function toDecimalNumber(value: string | number): DecimalNumber | undefined {
  const text = String(value)
  if (typeof value === 'string' && !decimalText.test(text)) return undefined
  return parseNumber(text)
}

/** The same for what a database writes, which may have an exponent. */
export function parseNumber(text: string): DecimalNumber | undefined {
  const match = numberText.exec(text)
  if (!match) return undefined
  const [, sign, whole = '', fraction = '', exponent = '0'] = match
  const scale = fraction.length - Number(exponent)
  const digits = BigInt(`${sign}${whole}${fraction}`)
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 }
}

export function addDecimals(one: DecimalNumber, other: DecimalNumber): DecimalNumber {
  const scale = Math.max(one.scale, other.scale)
  return { digits: digitsAt(one, scale) + digitsAt(other, scale), scale }
}

/** Without zeros at the end, and without an exponent. */
export function decimalToText({ digits, scale }: DecimalNumber): string {
  if (digits === 0n) return '0'
  const sign = digits < 0n ? '-' : ''
  const padded = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0')
  const fraction = padded.slice(padded.length - scale).replace(/0+$/, '')
  const whole = padded.slice(0, padded.length - scale)
  return scale === 0 || fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`
}

/** Significant digits of a quotient, at least. Doubles have 17. */
const quotientDigits = 20

/** The quotient, rounded half away from zero to 20 significant digits, or to a whole number. */
export function divideDecimal({ digits, scale }: DecimalNumber, count: number): DecimalNumber {
  const divisor = BigInt(count)
  const isNegative = digits < 0n
  const dividend = isNegative ? -digits : digits
  const wholeLength = String(dividend / divisor).length
  const added = Math.max(1, quotientDigits + String(divisor).length + 1 - wholeLength)
  const exact = dividend * 10n ** BigInt(added)
  const quotient = exact / divisor
  const rounded = roundQuotient({ digits: quotient, scale: scale + added })
  return isNegative ? { ...rounded, digits: -rounded.digits } : rounded
}

/** What the division cut off is less than half of the last digit, so it does not matter. */
function roundQuotient(value: DecimalNumber): DecimalNumber {
  const dropped = Math.min(String(value.digits).length - quotientDigits, value.scale)
  if (dropped <= 0) return value
  const unit = 10n ** BigInt(dropped)
  const isUp = (value.digits % unit) * 2n >= unit
  return { digits: value.digits / unit + (isUp ? 1n : 0n), scale: value.scale - dropped }
}

function digitsAt({ digits, scale }: DecimalNumber, at: number): bigint {
  return scale === at ? digits : digits * 10n ** BigInt(at - scale)
}
