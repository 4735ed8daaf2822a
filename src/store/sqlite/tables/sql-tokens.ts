const space = /(?:\s|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$))+/
const text = /'(?:[^']|'')*'/
const quotedName = /"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\]/
const word = /[\w$\u0080-\uffff]+/
const tokenPattern = new RegExp(
  [space, text, quotedName, word, /./].map(({ source }) => source).join('|'),
  'gs',
)

/** Texts, names, words, other characters, and spaces with comments, as they are written. */
export function sqlTokens(sql: string): readonly string[] {
  return sql.match(tokenPattern) ?? []
}

/** Where the parenthesis at an index ends. */
export function closingIndex(tokens: readonly string[], start: number): number {
  let depth = 0
  return tokens.findIndex((token, index) => {
    if (index < start) return false
    if (token === '(') depth++
    if (token === ')') depth--
    return depth === 0
  })
}
