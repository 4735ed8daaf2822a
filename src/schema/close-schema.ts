import { component, type JsonSchema, type SchemaComponent } from './json-schema.ts'
import { mapSubschemas } from './map-subschemas.ts'

/**
 * Adds `additionalProperties: false` to every object schema that lists its members.
 * @param ignored a pattern of member names that are always allowed
 */
export function closeSchema(schema: JsonSchema, ignored?: string): JsonSchema {
  if (schema.component) return closeComponent(schema.component, ignored) ?? schema
  // Each schema of an intersection would refuse the members of the others.
  if (schema.allOf) return schema
  const inner = mapSubschemas(schema, (subschema) => closeSchema(subschema, ignored))
  const { properties, additionalProperties } = inner
  if (!properties || (additionalProperties !== undefined && additionalProperties !== false))
    return inner
  return closeObjectSchema(inner, ignored)
}

const closedComponents = new WeakMap<SchemaComponent, Map<string | undefined, JsonSchema>>()

/** Undefined for components of the service: clients may send back what they received. */
function closeComponent(
  original: SchemaComponent,
  ignored: string | undefined,
): JsonSchema | undefined {
  if (original.rank === 'service') return undefined
  const byIgnored = closedComponents.get(original) ?? new Map<string | undefined, JsonSchema>()
  closedComponents.set(original, byIgnored)
  const schema =
    byIgnored.get(ignored) ??
    component(original.name, original.rank, () => closeSchema(original.schema(), ignored))
  byIgnored.set(ignored, schema)
  return schema
}

/**
 * The object schema without additional members.
 * @param ignored as above. It becomes a condition on names, because generators of typed clients
 * read `patternProperties` as a type with any member name.
 */
export function closeObjectSchema(schema: JsonSchema, ignored?: string): JsonSchema {
  if (ignored === undefined) return { ...schema, additionalProperties: false }
  const { additionalProperties: _, ...open } = schema
  const names = Object.keys(schema.properties ?? {})
  const ignoredName = { pattern: ignored }
  return {
    ...open,
    propertyNames: names.length > 0 ? { anyOf: [{ enum: names }, ignoredName] } : ignoredName,
  }
}
