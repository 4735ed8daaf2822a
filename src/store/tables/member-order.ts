import { StoredResource } from '../../model/stored-resource.ts'
import type { StructMember, ValueType } from '../../model/value-type.ts'

type Reorder = (value: unknown) => unknown

/**
 * Puts the members of structs into the order of the model: databases order the members of JSON in
 * their own way. Members that the model does not have come last.
 */
export function memberOrder(type: ValueType): Reorder {
  return reorderOf(type) ?? ((value) => value)
}

/** Undefined if values of the type have no members. */
function reorderOf(type: ValueType): Reorder | undefined {
  switch (type.kind) {
    case 'array': {
      const reorderItem = reorderOf(type.items)
      return reorderItem && ((value) => (Array.isArray(value) ? value.map(reorderItem) : value))
    }
    case 'struct':
      return reorderStruct(type.members)
    default:
      return undefined
  }
}

function reorderStruct(structMembers: ReadonlyMap<string, StructMember>): Reorder {
  const members = Array.from(structMembers, ([name, { type }]) => ({
    name,
    reorder: reorderOf(type),
  }))
  return (value) => {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value) || value instanceof StoredResource) return value
    const struct = value as Readonly<Record<string, unknown>>
    const entries: [string, unknown][] = []
    for (const { name, reorder } of members) {
      if (!Object.hasOwn(struct, name)) continue
      const member = struct[name]
      entries.push([name, reorder ? reorder(member) : member])
    }
    for (const name of Object.keys(struct))
      if (!structMembers.has(name)) entries.push([name, struct[name]])
    return Object.fromEntries(entries)
  }
}
