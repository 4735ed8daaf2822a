import type { JsonSchema } from '../schema/json-schema.ts'

/**
 * The ways to members that a schema does not name. Validators drop such members in silence; a client should hear that they would be
 * lost. A schema that says what further members may be (`additionalProperties`) allows them.
 */
export function unknownMembers(schema: JsonSchema, value: unknown): (string | number)[][] {
  if (Array.isArray(value)) {
    const { items } = schema
    return typeof items === 'object' ? value.flatMap((one, index) => below(index, unknownMembers(items, one))) : []
  }
  if (typeof value !== 'object' || value === null || !schema.properties) return []
  const { properties, additionalProperties } = schema
  const open = additionalProperties !== undefined && additionalProperties !== false
  return Object.entries(value).flatMap(([key, member]) => {
    if (Object.hasOwn(properties, key)) return below(key, unknownMembers(properties[key]!, member))
    return open ? [] : [[key]]
  })
}

function below(step: string | number, ways: (string | number)[][]): (string | number)[][] {
  return ways.map((way) => [step, ...way])
}
