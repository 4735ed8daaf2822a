export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A number of things: `1 item`, `2 items`, `12 000 items`. */
export function countOf(number: number, noun: string): string {
  return `${formatNumber(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** The same as a subject: `1 item has`, `2 items have`. */
export function countHaving(number: number, noun: string): string {
  return `${countOf(number, noun)} ${number === 1 ? 'has' : 'have'}`
}

/** A number with spaces between thousands. */
export function formatNumber(number: number): string {
  return String(number).replaceAll(/\B(?=(\d{3})+$)/g, ' ')
}

/** The last two joined by a word: `a, b and c`. */
export function joinWords(words: readonly string[], last: 'and' | 'or' = 'and'): string {
  if (words.length < 2) return words.join('')
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`
}

/** A duration that is not known well: `about 20 s`, `about 3 min`. */
export function aboutSeconds(seconds: number): string {
  const whole = Math.max(1, Math.round(seconds))
  return whole < 120 ? `about ${whole} s` : `about ${Math.round(whole / 60)} min`
}
