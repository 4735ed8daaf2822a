import { StoredResource } from '../../model/stored-resource.ts'
import type { ValueType } from '../../model/value-type.ts'

/**
 * The same value with the members of structs in the order of the model: databases order the members
 * of JSON in their own way. Members that the model does not have come last.
 */
export function inMemberOrder(type: ValueType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || value instanceof StoredResource) return value
  if (type.kind === 'array' && Array.isArray(value))
    return value.map((item) => inMemberOrder(type.items, item))
  if (type.kind !== 'struct' || Array.isArray(value)) return value
  const members = new Map(Object.entries(value))
  const ordered: [string, unknown][] = []
  for (const [name, member] of type.members) {
    if (!members.has(name)) continue
    ordered.push([name, inMemberOrder(member.type, members.get(name))])
    members.delete(name)
  }
  return Object.fromEntries([...ordered, ...members])
}
