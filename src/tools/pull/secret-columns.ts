import { toSnakeCase } from '../../model/naming.ts'
import type { TableSchema } from '../../store/read-database.ts'

/** Does the name of a column, or of one that it refers to, look like that of a secret? */
export function isSecretColumn({ foreignKeys }: TableSchema, column: string): boolean {
  const targets = foreignKeys.flatMap(({ columns, targetColumns }) =>
    targetColumns.filter((_, index) => columns[index] === column),
  )
  return [column, ...targets].some(
    (name) => secretWords.test(toSnakeCase(name)) || secretParts.test(name),
  )
}

const secretWords =
  /(?:^|_)(?:passwords?|passwd|passphrase|pwd|secrets?|tokens?|hash|digest|salt|api_?keys?|private_?keys?|credentials?|otp|pin|cvv|ssn)(?:_|$)/

/** In names that do not show where their words begin, such as `passwordhash`. */
const secretParts =
  /password|passwd|passphrase|secret|credential|apikey|privatekey|(?:access|auth|csrf|refresh|reset|session)token/i
