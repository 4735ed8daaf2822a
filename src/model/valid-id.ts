export const maxIdLength = 128

export const validIdRules: string = `An id has 1 to ${maxIdLength} characters out of A-Z a-z 0-9 . _ ~ : @ - and is neither '.' nor '..'.`

const idPattern = new RegExp(`^[A-Za-z0-9._~:@-]{1,${maxIdLength}}$`)

/**
 * `.` and `..` match the alphabet, but no client could name them in a URL (RFC 3986 §5.2.4 takes
 * them out).
 */
export function isValidId(id: string): boolean {
  return idPattern.test(id) && id !== '.' && id !== '..'
}
