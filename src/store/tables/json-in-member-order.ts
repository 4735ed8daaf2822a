import type { StructMember, ValueType } from '../../model/value-type.ts'

/** Writes a value of JSON as text. */
export type JsonWriter = (value: unknown) => string

/**
 * Writes values with the members of structs in the order of the model: databases order the members
 * of JSON in their own way. Members that the model does not have come last.
 */
export function jsonInMemberOrder(type: ValueType): JsonWriter {
  return writerOf(type) ?? JSON.stringify
}

/** Undefined if values of the type have no members. */
function writerOf(type: ValueType): JsonWriter | undefined {
  if (type.kind === 'struct') return structWriter(type.members)
  const writeItem = type.kind === 'array' ? writerOf(type.items) : undefined
  return (
    writeItem &&
    ((value) =>
      Array.isArray(value) ? `[${value.map(writeItem).join(',')}]` : JSON.stringify(value))
  )
}

function structWriter(structMembers: ReadonlyMap<string, StructMember>): JsonWriter {
  const members = Array.from(structMembers, ([name, { type }]) => ({
    name,
    prefix: memberPrefix(name),
    write: jsonInMemberOrder(type),
  }))
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      return JSON.stringify(value)
    const struct = value as Readonly<Record<string, unknown>>
    let text = ''
    let count = 0
    for (const { name, prefix, write } of members) {
      if (!Object.hasOwn(struct, name)) continue
      text += prefix + write(struct[name])
      count++
    }
    const names = Object.keys(struct)
    if (names.length > count)
      for (const name of names)
        if (!structMembers.has(name)) text += memberPrefix(name) + JSON.stringify(struct[name])
    return `{${text.slice(1)}}`
  }
}

function memberPrefix(name: string): string {
  return `,${JSON.stringify(name)}:`
}
