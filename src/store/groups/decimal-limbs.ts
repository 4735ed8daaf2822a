import { fromDecimalKey } from '../../query/decimal.ts'
import { type DecimalNumber, toDecimalNumber } from '../../query/decimal-number.ts'

/** Digits of a limb: a column of limbs has a sum of 64 bits for a billion rows. */
const limbDigits = 9

/**
 * A number, or the key of a decimal number (`toDecimalKey`), as a JSON object of integers: the
 * limb `-1` counts billionths, the limb `1` billions. SQL sums each limb exactly. Empty for what is
 * no number. The worker of SQLite has a copy (`scan-worker.js`), and a test compares the two.
 */
export function decimalLimbs(value: unknown): string {
  const number = numberOf(value)
  if (!number || number.digits === 0n) return '{}'
  const { digits, scale } = number
  const sign = digits < 0n ? '-' : ''
  const lowest = -Math.ceil(scale / limbDigits)
  let text = String(digits < 0n ? -digits : digits) + '0'.repeat(-lowest * limbDigits - scale)
  const limbs: string[] = []
  for (let index = lowest; text !== ''; index++) {
    const limb = Number(text.slice(-limbDigits))
    if (limb !== 0) limbs.push(`"${index}":${sign}${limb}`)
    text = text.slice(0, -limbDigits)
  }
  return `{${limbs.join(',')}}`
}

/** The number that so many of a limb are. */
export function fromLimb(index: number, sum: bigint): DecimalNumber {
  const scale = -index * limbDigits
  return scale >= 0 ? { digits: sum, scale } : { digits: sum * 10n ** BigInt(-scale), scale: 0 }
}

function numberOf(value: unknown): DecimalNumber | undefined {
  if (typeof value === 'number') return toDecimalNumber(value)
  const text = typeof value === 'string' ? fromDecimalKey(value) : undefined
  return text === undefined ? undefined : toDecimalNumber(text)
}
