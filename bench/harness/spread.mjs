/** @typedef {{ min: number, median: number, max: number }} Spread */

/**
 * @param {number[]} values
 * @returns {Spread} all NaN for no values
 */
export function spreadOf(values) {
  const sorted = [...values].sort((value, other) => value - other)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  const lower = sorted[middle - 1] ?? upper
  return {
    min: sorted[0] ?? Number.NaN,
    median: sorted.length % 2 === 1 ? upper : (upper + lower) / 2,
    max: sorted.at(-1) ?? Number.NaN,
  }
}

/**
 * The median, and the smallest and largest value in brackets where they differ from it.
 *
 * @param {Spread} spread
 * @param {(value: number) => string} show
 */
export function printedSpread({ min, median, max }, show) {
  return min === max ? show(median) : `${show(median)} (${show(min)}–${show(max)})`
}
