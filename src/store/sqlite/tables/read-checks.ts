import type { CheckSchema } from '../../tables/schema/database-schema.ts'
import { closingIndex, sqlTokens } from './sql-tokens.ts'

/**
 * The checks in the SQL of a table. Without a name of its own, a check has its expression as its
 * name, as in the messages of SQLite.
 *
 * @param columns the names of the columns
 */
export function checksOf(tableSql: string, columns: readonly string[]): readonly CheckSchema[] {
  const tokens = tokensOf(tableSql)
  return tokens.flatMap((token, index): readonly CheckSchema[] => {
    const start = neighbor(tokens, index, 1)
    if (token.toLowerCase() !== 'check' || tokens[start] !== '(') return []
    const parts = tokens.slice(start + 1, closingIndex(tokens, start))
    const expression = onOneLine(parts)
    const name = neighbor(tokens, index, -1)
    const isNamed = tokens[neighbor(tokens, name, -1)]?.toLowerCase() === 'constraint'
    const names = new Set(parts.map((part) => unquoted(part).toLowerCase()))
    return [
      {
        name: isNamed ? unquoted(tokens[name]!) : expression,
        expression,
        columns: columns.filter((column) => names.has(column.toLowerCase())),
      },
    ]
  })
}

/** The name of a check as `checksOf` has it, from a message, where an expression has its spaces. */
export function checkName(text: string): string {
  return onOneLine(tokensOf(text))
}

function onOneLine(tokens: readonly string[]): string {
  return tokens.join('').trim()
}

/** Texts, names, words and other characters; comments and spaces are one space. */
function tokensOf(sql: string): readonly string[] {
  return sqlTokens(sql).map((token) => (/^(?:\s|--|\/\*)/.test(token) ? ' ' : token))
}

/** The index of the next token that is no space, to one side. */
function neighbor(tokens: readonly string[], index: number, step: 1 | -1): number {
  return tokens[index + step] === ' ' ? index + 2 * step : index + step
}

function unquoted(name: string): string {
  const [first = ''] = name
  if (first === '[') return name.slice(1, -1)
  if (first !== '"' && first !== '`') return name
  return name.slice(1, -1).replaceAll(first + first, first)
}
