import { v7 } from 'uuid'
import { RegistrationError } from './registration-error.ts'

export const maxIdLength = 128

/**
 * The rules of ids, as a sentence for messages.
 *
 * ```ts
 * if (!isValidId('a/b')) throw new Error(`Expected an id; got 'a/b'. ${idRules}`)
 * ```
 */
export const idRules: string = `An id has 1 to ${maxIdLength} of the characters A-Z a-z 0-9 . _ ~ : @ - and is neither '.' nor '..'.`

/** The source of a regular expression that all ids match; it refuses `.` and `..`. */
export const idPattern = '^(?:\\.*[A-Za-z0-9_~:@-][A-Za-z0-9._~:@-]*|\\.{3,})$'
const validId = new RegExp(idPattern)

/** A new UUIDv7 (RFC 9562 §5.7), which sorts by creation time. */
export function createId(): string {
  return v7()
}

/**
 * Can an item have this id? `.` and `..` are not valid, because clients remove them from a URL (RFC
 * 3986 §5.2.4).
 *
 * ```ts
 * isValidId('dune') // true
 * isValidId('a/b') // false
 * ```
 */
export function isValidId(id: string): boolean {
  return id.length <= maxIdLength && validId.test(id)
}

/**
 * @param subject what the id belongs to, as in "The exampleId of the model 'book'"
 * @throws RegistrationError if it is not a valid id
 */
export function checkExampleId(subject: string, id: unknown): void {
  if (typeof id === 'string' && isValidId(id)) return
  throw new RegistrationError(`${subject} is the invalid id '${String(id)}'. ${idRules}`)
}
