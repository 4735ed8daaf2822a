/**
 * The values of an option that names some of a few, such as `--only='frozen,cut off'`.
 *
 * @template {string} Name
 * @param {string} option
 * @param {readonly string[]} names
 * @param {readonly Name[]} known
 * @returns {readonly Name[]}
 * @throws Error for an unknown name, and if there is none: a run that checks nothing would pass
 */
export function chosenNames(option, names, known) {
  const unknown = names.filter((name) => !known.some((other) => other === name))
  if (names.length > 0 && unknown.length === 0) return known.filter((name) => names.includes(name))
  const statement = unknown.map((name) => `'${name}'`).join(' and ') || 'nothing'
  const list = known.map((name) => `'${name}'`).join(', ')
  throw new Error(`--${option} names ${statement}; expected one or more of: ${list}.`)
}

/**
 * The value of an option that is a number of something.
 *
 * @param {string} option
 * @param {string | number} value
 * @returns {number}
 * @throws Error unless it is an integer of at least 1: a run that does nothing would pass
 */
export function countOf(option, value) {
  const count = Number(value)
  if (Number.isInteger(count) && count >= 1) return count
  throw new Error(`--${option} must be an integer of at least 1; got '${value}'.`)
}
