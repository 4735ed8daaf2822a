import { decimalText, toDecimalKey } from '../../query/decimal.ts'
import { toInstantKey } from '../../query/instant.ts'

/** The text of an integer of 64 bits, as databases write it; undefined for any other text. */
export function canonicalInteger(text: string): string | undefined {
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) return undefined
  return BigInt.asIntN(64, BigInt(text)) === BigInt(text) ? text : undefined
}

/** A date-time in UTC, without its zone; undefined for any other text. */
export function canonicalInstantKey(text: string): string | undefined {
  const key = toInstantKey(text)
  return instantKeyPattern.test(key) ? key : undefined
}

/** A decimal number in the form that sorts; undefined for any other text. */
export function canonicalDecimalKey(text: string): string | undefined {
  return decimalText.test(text) ? toDecimalKey(text) : undefined
}

const instantKeyPattern = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?$/
