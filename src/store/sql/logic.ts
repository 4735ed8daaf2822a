/** Conditions as SQL text, with the two constants folded away. */
export const yes = 'true'
export const no = 'false'

export function allOfSql(parts: readonly string[]): string {
  if (parts.includes(no)) return no
  return joined(
    parts.filter((part) => part !== yes),
    'and',
    yes,
  )
}

export function anyOfSql(parts: readonly string[]): string {
  if (parts.includes(yes)) return yes
  return joined(
    parts.filter((part) => part !== no),
    'or',
    no,
  )
}

export function notSql(part: string): string {
  if (part === yes) return no
  return part === no ? yes : `not ${part}`
}

/** A balanced tree: engines limit the depth of an expression, and a chain of a thousand is a thousand deep. */
function joined(parts: readonly string[], word: 'and' | 'or', empty: string): string {
  if (parts.length <= 1) return parts[0] ?? empty
  const half = parts.length >> 1
  return `(${joined(parts.slice(0, half), word, empty)} ${word} ${joined(parts.slice(half), word, empty)})`
}
