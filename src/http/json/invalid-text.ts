/**
 * The path to the first string in the value that has a lone surrogate or U+0000, which a client
 * cannot send; undefined if all strings are valid.
 *
 * ```ts
 * findInvalidText({ tags: ['a', '\ud800'] }) // ['tags', 1]
 * ```
 */
export function findInvalidText(value: unknown): readonly (string | number)[] | undefined {
  if (typeof value === 'string') return isValidText(value) ? undefined : []
  if (typeof value !== 'object' || value === null) return undefined
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [step, member] of entries) {
    if (typeof step === 'string' && !isValidText(step)) return []
    const path = findInvalidText(member)
    if (path) return [step, ...path]
  }
  return undefined
}

/** UTF-8 cannot encode a lone surrogate, and not every store accepts U+0000. */
export function isValidText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text)
}
