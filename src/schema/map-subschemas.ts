import type { JsonSchema } from './json-schema.ts'

type Change = (schema: JsonSchema) => JsonSchema

/** The value of a keyword: a schema, an array of schemas, or schemas by name. */
const subschemaKeywords: ReadonlyMap<string, 'schema' | 'array' | 'map'> = new Map([
  ['items', 'schema'],
  ['additionalProperties', 'schema'],
  ['propertyNames', 'schema'],
  ['not', 'schema'],
  ['contains', 'schema'],
  ['contentSchema', 'schema'],
  ['unevaluatedProperties', 'schema'],
  ['anyOf', 'array'],
  ['oneOf', 'array'],
  ['allOf', 'array'],
  ['prefixItems', 'array'],
  ['properties', 'map'],
  ['patternProperties', 'map'],
  ['$defs', 'map'],
])

/** Changes the direct subschemas of a schema, in their order. It does not enter components. */
export function mapSubschemas(schema: JsonSchema, change: Change): JsonSchema {
  let changed: Record<string, unknown> | undefined
  for (const keyword in schema) {
    const kind = subschemaKeywords.get(keyword)
    const value = schema[keyword]
    if (kind === undefined || typeof value !== 'object' || value === null) continue
    changed ??= { ...schema }
    if (kind === 'array') {
      if (Array.isArray(value))
        changed[keyword] = value.map((member) => (isSchema(member) ? change(member) : member))
    } else if (isSchema(value))
      changed[keyword] = kind === 'schema' ? change(value) : mapProperties(value, change)
  }
  return changed ?? schema
}

/** Visits the direct subschemas of a schema, in the same order. */
export function forEachSubschema(schema: JsonSchema, visit: (subschema: JsonSchema) => void): void {
  for (const keyword in schema) {
    const kind = subschemaKeywords.get(keyword)
    const value = schema[keyword]
    if (kind === undefined || typeof value !== 'object' || value === null) continue
    if (kind === 'schema') {
      if (isSchema(value)) visit(value)
    } else for (const member of Object.values(value)) if (isSchema(member)) visit(member)
  }
}

function mapProperties(properties: object, change: Change): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(properties).map(([name, value]) => [
      name,
      isSchema(value) ? change(value) : value,
    ]),
  )
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
