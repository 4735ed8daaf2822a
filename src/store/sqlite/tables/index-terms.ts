import { closingIndex, sqlTokens } from './sql-tokens.ts'

/**
 * The columns and expressions of an index as the SQL of the index writes them, without collation
 * and direction.
 */
export function indexTerms(indexSql: string): readonly string[] {
  const tokens = sqlTokens(indexSql)
  const start = tokens.indexOf('(')
  const terms: string[] = ['']
  let depth = 0
  for (const token of tokens.slice(start + 1, closingIndex(tokens, start))) {
    if (token === '(') depth++
    if (token === ')') depth--
    if (token === ',' && depth === 0) terms.push('')
    else terms[terms.length - 1] += token
  }
  return terms.map((term) =>
    term
      .trim()
      .replace(/\s+(?:asc|desc)$/i, '')
      .replace(/\s+collate\s+\S+$/i, ''),
  )
}
