import type { JsonSchema } from './json-schema.ts'

type Change = (schema: JsonSchema) => JsonSchema

/** What stands under a keyword: a schema, an array of schemas, or schemas by name. */
const subschemaKeywords: ReadonlyMap<string, 'one' | 'many' | 'named'> = new Map([
  ['items', 'one'],
  ['additionalProperties', 'one'],
  ['propertyNames', 'one'],
  ['not', 'one'],
  ['contains', 'one'],
  ['unevaluatedProperties', 'one'],
  ['anyOf', 'many'],
  ['oneOf', 'many'],
  ['allOf', 'many'],
  ['prefixItems', 'many'],
  ['properties', 'named'],
  ['patternProperties', 'named'],
  ['$defs', 'named'],
])

/**
 * The schema with its direct parts changed, in their order; itself where it has none. What a
 * component refers to is no part of it.
 */
export function mapSubschemas(schema: JsonSchema, change: Change): JsonSchema {
  let changed: Record<string, unknown> | undefined
  for (const keyword in schema) {
    const kind = subschemaKeywords.get(keyword)
    const held = schema[keyword]
    if (kind === undefined || typeof held !== 'object' || held === null) continue
    changed ??= { ...schema }
    if (kind === 'many') {
      if (Array.isArray(held))
        changed[keyword] = held.map((part) => (isSchema(part) ? change(part) : part))
    } else if (isSchema(held))
      changed[keyword] = kind === 'one' ? change(held) : mapProperties(held, change)
  }
  return changed ?? schema
}

/** Looks at the direct parts of a schema, in the same order. */
export function forEachSubschema(schema: JsonSchema, look: (part: JsonSchema) => void): void {
  for (const keyword in schema) {
    const kind = subschemaKeywords.get(keyword)
    const held = schema[keyword]
    if (kind === undefined || typeof held !== 'object' || held === null) continue
    if (kind === 'one') {
      if (isSchema(held)) look(held)
    } else for (const part of Object.values(held)) if (isSchema(part)) look(part)
  }
}

function mapProperties(parts: object, change: Change): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(parts).map(([name, part]) => [name, isSchema(part) ? change(part) : part]),
  )
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
