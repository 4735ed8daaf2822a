import type { JsonSchema } from './json-schema.ts'

/**
 * What fits at least one of the schemas, each of which is written once; a single one stands for
 * itself.
 */
export function unionSchema(schemas: readonly JsonSchema[]): JsonSchema {
  const alternatives = schemas.flatMap((schema) =>
    isPlainUnion(schema) ? schema.anyOf! : [schema],
  )
  const different = new Map(
    alternatives.map((schema) => [schema.component ?? JSON.stringify(schema), schema]),
  )
  return different.size === 1 ? alternatives[0]! : { anyOf: [...different.values()] }
}

function isPlainUnion(schema: JsonSchema): boolean {
  return schema.anyOf !== undefined && Object.keys(schema).length === 1
}
