/**
 * The value without members that start with @, at any depth: they are to be ignored (JSON:API 1.1,
 * @-members).
 */
export function withoutAtMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutAtMembers)
  const left = Object.entries(value).filter(([name]) => !name.startsWith('@'))
  return Object.fromEntries(left.map(([name, member]) => [name, withoutAtMembers(member)]))
}
