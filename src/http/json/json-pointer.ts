/** One step into a document: the name of a member or the index of an array. */
export type PointerStep = string | number

/** What a pointer leads to. */
export type PointerTarget =
  | { readonly exists: true; readonly value: unknown }
  | { readonly exists: false }

const notFound: PointerTarget = Object.freeze({ exists: false })
const wrongEscape = /~(?![01])/
const arrayIndex = /^(?:0|[1-9]\d*)$/

/**
 * The JSON Pointer of these steps (RFC 6901 §3): `['a/b', 0]` is `/a~1b/0`, no steps are the whole
 * document, ``.
 */
export function formatPointer(steps: readonly PointerStep[]): string {
  let text = ''
  for (const step of steps) text += typeof step === 'number' ? `/${step}` : `/${escapeToken(step)}`
  return text
}

/**
 * What a JSON Pointer leads to (RFC 6901 §4). Only a document's own members and elements are found,
 * never what they inherit. A text that is no pointer, an index with leading zeros and `-`, the
 * place after the last element, lead nowhere.
 */
export function resolvePointer(document: unknown, pointer: string): PointerTarget {
  if (pointer === '') return { exists: true, value: document }
  if (!pointer.startsWith('/') || wrongEscape.test(pointer)) return notFound
  let value = document
  for (const token of pointer.slice(1).split('/')) {
    const inner = getChild(value, token.replaceAll('~1', '/').replaceAll('~0', '~'))
    if (!inner.exists) return notFound
    value = inner.value
  }
  return { exists: true, value }
}

/**
 * In UTF-16 code units. Names of members can be as long as a body, and each of its faults would
 * repeat them.
 */
const maxPointerLength = 1_000

/**
 * The pointer of the longest run of first steps that the document has, and that is short enough to
 * be sent back: where to say that something is missing.
 */
export function findDeepestExisting(document: unknown, steps: readonly PointerStep[]): string {
  let value = document
  let text = ''
  for (const step of steps) {
    const inner = getChild(value, String(step))
    if (!inner.exists || text.length + String(step).length > maxPointerLength) break
    value = inner.value
    text += formatPointer([step])
  }
  return text
}

function getChild(value: unknown, token: string): PointerTarget {
  if (typeof value !== 'object' || value === null) return notFound
  if (Array.isArray(value) && !arrayIndex.test(token)) return notFound
  return Object.hasOwn(value, token) ? { exists: true, value: Reflect.get(value, token) } : notFound
}

function escapeToken(step: string): string {
  return step.includes('~') || step.includes('/')
    ? step.replaceAll('~', '~0').replaceAll('/', '~1')
    : step
}
