import { spreadOf } from '../harness/spread.mjs'

/**
 * The same object, with the median of the numbers at each place. They have four digits, which is
 * more than they are worth.
 *
 * @template {Record<string, number>} T
 * @param {readonly T[]} all at least one
 * @returns {T}
 */
export function medians(all) {
  const names = Object.keys(/** @type {T} */ (all[0]))
  const entries = names.map((name) => {
    const { median } = spreadOf(all.map((each) => each[name] ?? Number.NaN))
    return [name, Number(median.toPrecision(4))]
  })
  return Object.fromEntries(entries)
}
