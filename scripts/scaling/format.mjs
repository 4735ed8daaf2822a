/**
 * Two digits, because the figures are worth no more.
 *
 * @param {number} value
 */
export function two(value) {
  if (!Number.isFinite(value)) return '–'
  if (value < 0.05) return '0'
  const rounded = Number(value.toPrecision(2))
  if (rounded < 1) return rounded.toFixed(2).replace(/0$/, '')
  return grouped(rounded)
}

/** @param {number} value */
export function grouped(value) {
  const [whole = '', fraction] = String(value).split('.')
  const digits = whole.replaceAll(/\B(?=(\d{3})+$)/g, ' ')
  return fraction === undefined ? digits : `${digits}.${fraction}`
}

/** @param {number} share */
export const percent = (share) => `${Math.round(share * 100)} %`

/**
 * @param {readonly string[]} heads
 * @param {readonly (readonly string[])[]} rows
 */
export function table(heads, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
