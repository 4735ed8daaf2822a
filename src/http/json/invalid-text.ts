type ValuePath = readonly (string | number)[]

/**
 * The way to a text within the value that no client could send: one with half of a surrogate pair,
 * as where an emoji was cut in two, or with U+0000. Undefined where there is none.
 */
export function findInvalidText(value: unknown): ValuePath | undefined {
  if (typeof value === 'string') return isValidText(value) ? undefined : []
  if (typeof value !== 'object' || value === null) return undefined
  const entries = Array.isArray(value) ? value.entries() : Object.entries(value)
  for (const [step, member] of entries) {
    if (typeof step === 'string' && !isValidText(step)) return []
    const way = findInvalidText(member)
    if (way) return [step, ...way]
  }
  return undefined
}

function isValidText(text: string): boolean {
  return !/[\0\p{Surrogate}]/u.test(text)
}
