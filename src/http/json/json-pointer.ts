/** One step into a document: a member name or an array index. */
export type PointerStep = string | number

const arrayIndex = /^(?:0|[1-9]\d*)$/

/**
 * The JSON Pointer of these steps (RFC 6901 §3): `['a/b', 0]` is `/a~1b/0`. Without steps it is the
 * empty string, which points to the whole document.
 *
 * ```ts
 * formatPointer(['authors', 0, 'a/b']) // '/authors/0/a~1b'
 * ```
 */
export function formatPointer(steps: readonly PointerStep[]): string {
  let pointer = ''
  for (const step of steps)
    pointer += typeof step === 'number' ? `/${step}` : `/${escapeToken(step)}`
  return pointer
}

/** In UTF-16 code units. A member name can be as long as a body, and every problem repeats it. */
const maxPointerLength = 1_000

/** The pointer of the first steps, as far as the document has them and the pointer stays short. */
export function findDeepestExisting(document: unknown, steps: readonly PointerStep[]): string {
  let value = document
  let pointer = ''
  for (const step of steps) {
    const token = String(step)
    if (!hasChild(value, token) || pointer.length + token.length > maxPointerLength) break
    value = Reflect.get(value, token)
    pointer += formatPointer([step])
  }
  return pointer
}

function hasChild(value: unknown, token: string): value is object {
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value) && !arrayIndex.test(token)) return false
  return Object.hasOwn(value, token)
}

function escapeToken(step: string): string {
  return step.includes('~') || step.includes('/')
    ? step.replaceAll('~', '~0').replaceAll('/', '~1')
    : step
}
