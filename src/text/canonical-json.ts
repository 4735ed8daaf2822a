/**
 * JSON with the members of each object in order, so that equal values have one text, and others
 * have another one. Maps and sets are written too.
 * @throws TypeError for an instance of a class without members of its own, whose state is unknown
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, toCanonicalValue) ?? 'undefined'
}

function toCanonicalValue(_: string, value: unknown): unknown {
  if (typeof value === 'bigint') return ['bigint', `${value}`]
  if (typeof value === 'number' && !Number.isFinite(value)) return ['number', `${value}`]
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (value instanceof Map) return ['Map', inOrder(value)]
  if (value instanceof Set) return ['Set', inOrder(value)]
  const members = value as Readonly<Record<string, unknown>>
  const names = Object.keys(members).sort()
  if (names.length === 0) refuseOpaque(value)
  return Object.fromEntries(names.map((name) => [name, members[name]]))
}

/** The texts of the elements. */
function inOrder(elements: Iterable<unknown>): readonly string[] {
  return [...elements].map(canonicalJson).sort()
}

function refuseOpaque(value: object): void {
  const prototype = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === null) return
  throw new TypeError(
    `Two callers of the class '${prototype.constructor?.name}' look the same, because they have no members of their own. Let 'security.callerSchema' make a plain object.`,
  )
}
