/**
 * Is the text of an integer that of the JSON number? Integers of fifteen digits are exact.
 *
 * Databases and JavaScript write other numbers differently, such as -0.
 */
export function isPlainInteger(text: string): boolean {
  return plainInteger.test(text)
}

/**
 * Is the text of a number that of the JSON number? Fifteen digits are read back as they were, and
 * JavaScript writes an exponent for those below 0.000001 only.
 */
export function isPlainNumber(text: string): boolean {
  return plainNumber.test(text)
}

const plainInteger = /^(?:0|-?[1-9]\d{0,14})$/
const plainNumber = /^(?:0|-?[1-9]\d{0,14}|-?(?:0|[1-9]\d{0,9})\.\d{0,4}[1-9])$/
