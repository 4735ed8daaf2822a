import type { JsonSchema } from './json-schema.ts'

/** A schema that allows what any of these schemas allows. Duplicates are removed. */
export function unionSchema(schemas: readonly JsonSchema[]): JsonSchema {
  const alternatives = schemas.flatMap((schema) =>
    isPlainUnion(schema) ? schema.anyOf! : [schema],
  )
  const distinct = new Map(
    alternatives.map((schema) => [schema.component ?? JSON.stringify(schema), schema]),
  )
  return distinct.size === 1 ? alternatives[0]! : { anyOf: [...distinct.values()] }
}

function isPlainUnion(schema: JsonSchema): boolean {
  return schema.anyOf !== undefined && Object.keys(schema).length === 1
}
