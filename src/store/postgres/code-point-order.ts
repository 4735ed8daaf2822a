import type { Statement } from '../sql/statement-cache.ts'

/** Text compares by code points, as everywhere else. */
export const codePointOrder = 'collate "C"'

/** For servers that have no collations, and compare texts by code point. */
export function withoutCollations(statements: readonly Statement[]): readonly Statement[] {
  return statements.map((statement) => ({
    ...statement,
    sql: statement.sql.replaceAll(` ${codePointOrder}`, ''),
  }))
}
