/**
 * By how much the last third of values exceeds the middle third, of which the medians are compared:
 * caches are full by then. Undefined for fewer than three values.
 *
 * @param {readonly number[]} values
 */
export function trendOf(values) {
  const third = Math.floor(values.length / 3)
  if (third === 0) return undefined
  return medianOf(values.slice(-third)) - medianOf(values.slice(-2 * third, -third))
}

/** @param {readonly number[]} values */
function medianOf(values) {
  const sorted = values.toSorted((one, other) => one - other)
  return sorted[sorted.length >> 1] ?? 0
}
