/** The text of a decimal number: without an exponent, and without zeros in front. */
export const decimalText: RegExp = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/**
 * A decimal number as a string whose order by code point is the order of the numbers, however many
 * digits they have. Any other text is returned unchanged.
 *
 * ```ts
 * toDecimalKey('9.50') === toDecimalKey('9.5') // true
 * toDecimalKey('9.5') < toDecimalKey('10') // true
 * toDecimalKey('-10') < toDecimalKey('-9.5') // true
 * ```
 *
 * SQL stores compute the same key, or compare numbers (`Dialect.decimal`).
 */
export function toDecimalKey(text: string): string {
  if (!decimalText.test(text)) return text
  const unsigned = text.replace('-', '')
  if (!/[1-9]/.test(unsigned)) return zeroKey
  const [whole = '', fraction = ''] = unsigned.split('.')
  const digits = String(whole.length).padStart(4, '0') + whole + fraction.replace(/0+$/, '')
  if (!text.startsWith('-')) return `p${digits}`
  // Digits in the reverse order; a number with more digits stands in front of its beginning.
  return `n${digits.replace(/\d/g, (digit) => reverseDigits[Number(digit)]!)}~`
}

/** The letter for each digit, in the reverse order. */
export const reverseDigits = 'jihgfedcba'

const zeroKey = 'p00010'

/**
 * The number whose key this is, without zeros at the end; undefined for any other text.
 *
 * ```ts
 * fromDecimalKey(toDecimalKey('9.50')) // '9.5'
 * ```
 */
export function fromDecimalKey(key: string): string | undefined {
  const positive = /^p(\d{4})(\d+)$/.exec(key)
  if (positive) return withPoint(Number(positive[1]), positive[2]!)
  const negative = /^n([a-j]{4})([a-j]+)~$/.exec(key)
  if (!negative) return undefined
  const [length, digits] = negative.slice(1).map(reversedDigits)
  return `-${withPoint(Number(length), digits!)}`
}

function reversedDigits(letters: string): string {
  return letters.replace(/[a-j]/g, (letter) => String(reverseDigits.indexOf(letter)))
}

function withPoint(wholeLength: number, digits: string): string {
  return digits.length > wholeLength
    ? `${digits.slice(0, wholeLength)}.${digits.slice(wholeLength)}`
    : digits
}
