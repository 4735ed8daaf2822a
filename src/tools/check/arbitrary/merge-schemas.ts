import { followReferences, isRecord } from '../document-node.ts'
import type { ServiceState } from './service-state.ts'

/** A schema of the document. */
export type SchemaObject = Readonly<Record<string, unknown>>

/** Merges the branches of `allOf` into one schema. */
export function mergeAllOf(state: ServiceState, schema: SchemaObject): SchemaObject {
  if (!Array.isArray(schema.allOf)) return schema
  return schema.allOf.reduce<SchemaObject>(
    (merged, branch) => mergeSchemas(state, merged, branch),
    omitKeyword(schema, 'allOf'),
  )
}

/** Merges `properties` and `required`; other keywords of the branch replace those of the base. */
export function mergeSchemas(
  state: ServiceState,
  base: SchemaObject,
  branch: unknown,
): SchemaObject {
  const { value } = followReferences(state.document, { value: branch, pointer: '' })
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
  keyword: string,
  one: SchemaObject,
  other: SchemaObject,
  join: (a: unknown, b: unknown) => unknown,
): SchemaObject {
  return one[keyword] === undefined && other[keyword] === undefined
    ? {}
    : { [keyword]: join(one[keyword], other[keyword]) }
}

export function omitKeyword(schema: SchemaObject, keyword: string): SchemaObject {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== keyword))
}

/** The schema without the type null, and without branches for it. */
export function withoutNull(schema: SchemaObject): SchemaObject {
  const { type, anyOf } = schema
  return {
    ...schema,
    ...(Array.isArray(type) && { type: type.filter((name) => name !== 'null') }),
    ...(Array.isArray(anyOf) && {
      anyOf: anyOf.filter((branch) => !isRecord(branch) || branch.type !== 'null'),
    }),
  }
}
