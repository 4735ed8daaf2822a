/** Conditions as SQL text, with the two constants folded away. */
export const trueSql = 'true'
export const falseSql = 'false'

export function allOfSql(parts: readonly string[]): string {
  if (parts.includes(falseSql)) return falseSql
  return joinBalanced(
    parts.filter((part) => part !== trueSql),
    'and',
    trueSql,
  )
}

export function anyOfSql(parts: readonly string[]): string {
  if (parts.includes(trueSql)) return trueSql
  return joinBalanced(
    parts.filter((part) => part !== falseSql),
    'or',
    falseSql,
  )
}

export function notSql(part: string): string {
  if (part === trueSql) return falseSql
  return part === falseSql ? trueSql : `not ${part}`
}

/**
 * A balanced tree: engines limit the depth of an expression, and a chain of a thousand is a
 * thousand deep.
 */
function joinBalanced(parts: readonly string[], word: 'and' | 'or', empty: string): string {
  if (parts.length <= 1) return parts[0] ?? empty
  const half = parts.length >> 1
  return `(${joinBalanced(parts.slice(0, half), word, empty)} ${word} ${joinBalanced(parts.slice(half), word, empty)})`
}
