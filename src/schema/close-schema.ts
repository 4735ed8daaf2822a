import { component, type JsonSchema, type SchemaComponent } from './json-schema.ts'
import { mapSubschemas } from './map-subschemas.ts'

/**
 * The schema as a service reads it that refuses members which nobody named: objects that name their
 * members take no others.
 * @param ignored a pattern of names that are passed over, wherever they stand
 */
export function closeSchema(schema: JsonSchema, ignored?: string): JsonSchema {
  if (schema.component) return closeComponent(schema.component, ignored) ?? schema
  // The parts of an intersection do not know of each other's members.
  if (schema.allOf) return schema
  const inner = mapSubschemas(schema, (part) => closeSchema(part, ignored))
  const { properties, additionalProperties } = inner
  if (!properties || (additionalProperties !== undefined && additionalProperties !== false))
    return inner
  return closeObjectSchema(inner, ignored)
}

const closedComponents = new WeakMap<SchemaComponent, Map<string | undefined, JsonSchema>>()

/** Undefined for what services send, of which clients may send back whatever they were given. */
function closeComponent(of: SchemaComponent, ignored: string | undefined): JsonSchema | undefined {
  if (of.rank === 'service') return undefined
  const known = closedComponents.get(of) ?? new Map<string | undefined, JsonSchema>()
  closedComponents.set(of, known)
  const schema =
    known.get(ignored) ?? component(of.name, of.rank, () => closeSchema(of.schema(), ignored))
  known.set(ignored, schema)
  return schema
}

/**
 * The schema of an object with no members but those that it names.
 * @param ignored as above; told as a condition on names, for generators of typed clients read in
 * `patternProperties` that any name will do
 */
export function closeObjectSchema(schema: JsonSchema, ignored?: string): JsonSchema {
  if (ignored === undefined) return { ...schema, additionalProperties: false }
  const { additionalProperties: _, ...open } = schema
  const names = Object.keys(schema.properties ?? {})
  const passedOver = { pattern: ignored }
  return {
    ...open,
    propertyNames: names.length > 0 ? { anyOf: [{ enum: names }, passedOver] } : passedOver,
  }
}
