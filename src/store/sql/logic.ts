/** SQL conditions with constants folded away. */
export const trueSql = 'true'
export const falseSql = 'false'

export function allOfSql(conditions: readonly string[]): string {
  if (conditions.includes(falseSql)) return falseSql
  return joinBalanced(
    conditions.filter((condition) => condition !== trueSql),
    'and',
    trueSql,
  )
}

export function anyOfSql(conditions: readonly string[]): string {
  if (conditions.includes(trueSql)) return trueSql
  return joinBalanced(
    conditions.filter((condition) => condition !== falseSql),
    'or',
    falseSql,
  )
}

export function notSql(condition: string): string {
  if (condition === trueSql) return falseSql
  return condition === falseSql ? trueSql : `not ${condition}`
}

/** The condition, with false for NULL. */
export function isTrueSql(condition: string): string {
  return condition === trueSql || condition === falseSql ? condition : `(${condition}) is true`
}

/**
 * Is there a row? With a limit, because SQLite makes a join of a plain `exists` since 3.51, and its
 * `offset` then counts a row once for each row that is found for it. PostgreSQL ignores the limit.
 */
export function existsSql(from: string, where: string): string {
  return `exists (select 1 from ${from} where ${where} limit 1)`
}

/**
 * Builds a balanced tree: engines limit the depth of an expression, and a chain of 1000 terms is
 * 1000 deep.
 */
function joinBalanced(
  conditions: readonly string[],
  operator: 'and' | 'or',
  empty: string,
): string {
  if (conditions.length <= 1) return conditions[0] ?? empty
  const half = conditions.length >> 1
  const left = joinBalanced(conditions.slice(0, half), operator, empty)
  const right = joinBalanced(conditions.slice(half), operator, empty)
  return `(${left} ${operator} ${right})`
}
