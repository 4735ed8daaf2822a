import { toSnakeCase } from '../model/naming.ts'
import type { TableSchema } from '../store/tables/schema/database-schema.ts'

/** Does the name of a column, or of one that it refers to, look like that of a secret? */
export function isSecretColumn({ foreignKeys }: TableSchema, column: string): boolean {
  const targets = foreignKeys.flatMap(({ columns, targetColumns }) =>
    targetColumns.filter((_, index) => columns[index] === column),
  )
  return [column, ...targets].some((name) => secretPattern.test(toSnakeCase(name)))
}

const secretPattern =
  /(?:^|_)(?:passwords?|passwd|passphrase|pwd|secrets?|tokens?|hash|digest|salt|api_?keys?|private_?keys?|credentials?|otp|pin|cvv|ssn)(?:_|$)/
