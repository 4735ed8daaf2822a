import { unstorable } from '../../tables/comparable-condition.ts'
import type { Violation } from '../../tables/sql-database.ts'
import { sqliteErrorCode } from '../sqlite-error.ts'
import { checkName } from './read-checks.ts'

/** A text that SQLite would read back in another form. */
class UnstorableText extends Error {
  override readonly name = 'UnstorableText'
}

/** @throws UnstorableText */
export function refuseUnstorableTexts(parameters: readonly unknown[]): void {
  for (const parameter of parameters)
    if (typeof parameter === 'string' && unstorable.test(parameter))
      throw new UnstorableText('SQLite cannot keep a text with this character.')
}

/** SQLite names the columns of a unique constraint in its message, and a check by its name. */
export function violationOf(error: unknown): Violation | undefined {
  if (error instanceof UnstorableText) return { kind: 'value' }
  const code = sqliteErrorCode(error)
  if (code === undefined) return undefined
  const subject = (error as Error).message.replace(/^.* failed: /, '')
  switch (code) {
    case extendedCodes.primaryKey:
    case extendedCodes.unique:
    case extendedCodes.rowId:
      return uniqueViolation(subject)
    case extendedCodes.foreignKey:
      return { kind: 'foreignKey', table: undefined, constraint: '' }
    case extendedCodes.check:
      return { kind: 'check', table: undefined, constraint: checkName(subject) }
    case extendedCodes.trigger:
      return { kind: 'check', table: undefined, constraint: '' }
    case extendedCodes.notNull:
      return { kind: 'notNull', table: tableOf(subject), column: columnOf(subject) }
    case unwritable:
      return unwritableMessage.test(subject)
        ? { kind: 'check', table: undefined, constraint: '' }
        : undefined
    default:
      return valueCodes.has(code) ? { kind: 'value' } : undefined
  }
}

const extendedCodes = {
  check: 275,
  foreignKey: 787,
  notNull: 1299,
  primaryKey: 1555,
  trigger: 1811,
  unique: 2067,
  rowId: 2579,
} as const

/** Any error in SQL, so the message has to tell. */
const unwritable = 1
const unwritableMessage = /^cannot modify .* because it is a view$|may not be modified$/

/** A value that is too large, or of another type than its column. */
const valueCodes = new Set([18, 20, 3091])

/** Of an index over expressions, SQLite says the name: `index 'books_sold_at_key'`. */
function uniqueViolation(subject: string): Violation {
  const index = /^index '(.*)'$/.exec(subject)?.[1]
  return index === undefined
    ? {
        kind: 'uniqueColumns',
        table: tableOf(subject),
        columns: subject.split(', ').map(columnOf),
      }
    : { kind: 'unique', table: undefined, constraint: index }
}

function tableOf(name: string): string {
  return name.slice(0, name.indexOf('.'))
}

/** `books.isbn` names the column `isbn`. */
function columnOf(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1)
}
