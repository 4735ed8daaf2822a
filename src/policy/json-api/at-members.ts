/** Removes members that start with @, at any depth (JSON:API 1.1, @-members). */
export function withoutAtMembers(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(withoutAtMembers)
  const members = Object.entries(value).filter(([name]) => !name.startsWith('@'))
  return Object.fromEntries(members.map(([name, member]) => [name, withoutAtMembers(member)]))
}
