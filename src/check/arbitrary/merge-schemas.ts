import { followReferences, isRecord } from '../document-node.ts'
import type { ServiceState } from './service-state.ts'

/** A schema as it stands in the document. */
export type SchemaObject = Readonly<Record<string, unknown>>

/** The parts of an intersection as one. */
export function mergeAllOf(known: ServiceState, schema: SchemaObject): SchemaObject {
  if (!Array.isArray(schema.allOf)) return schema
  return schema.allOf.reduce<SchemaObject>(
    (all, part) => mergeSchemas(known, all, part),
    omitKeyword(schema, 'allOf'),
  )
}

/** What satisfies both, as far as members go; of other words the part has the last. */
export function mergeSchemas(known: ServiceState, base: SchemaObject, part: unknown): SchemaObject {
  const { value } = followReferences(known.document, { value: part, pointer: '' })
  if (!isRecord(value)) return base
  return {
    ...base,
    ...value,
    ...mergeKeyword('properties', base, value, (one, other) => ({
      ...(one as SchemaObject),
      ...(other as SchemaObject),
    })),
    ...mergeKeyword('required', base, value, (one, other) => [
      ...new Set([...((one ?? []) as readonly string[]), ...((other ?? []) as readonly string[])]),
    ]),
  }
}

function mergeKeyword(
  word: string,
  one: SchemaObject,
  other: SchemaObject,
  join: (a: unknown, b: unknown) => unknown,
): SchemaObject {
  return one[word] === undefined && other[word] === undefined
    ? {}
    : { [word]: join(one[word], other[word]) }
}

export function omitKeyword(schema: SchemaObject, word: string): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== word))
}
