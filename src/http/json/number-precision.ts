/** Would the number change as a double? Rounding of a fraction does not count. */
export function losesPrecision(literal: string): boolean {
  const value = Number(literal)
  const isExact = value !== 0 && Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return !isExact && significantDigits(literal) !== significantDigits(String(value))
}

function significantDigits(literal: string): string {
  const digits = literal.replace(/e.*$/i, '').replace(/[-.]/g, '')
  let start = 0
  let end = digits.length
  while (start < end && digits[start] === '0') start++
  while (end > start && digits[end - 1] === '0') end--
  return digits.slice(start, end)
}
