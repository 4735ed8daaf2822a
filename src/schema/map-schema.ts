import type { JsonSchema } from './json-schema.ts'

type Change = (schema: JsonSchema) => JsonSchema

const ofOne = ['items', 'additionalProperties', 'propertyNames', 'not', 'contains', 'unevaluatedProperties'] as const
const ofMany = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const
const named = ['properties', 'patternProperties', '$defs'] as const

/** The schema with its direct parts changed, in the same order. What a component refers to is no part of it. */
export function mapSchema(schema: JsonSchema, change: Change): JsonSchema {
  const changed: Record<string, unknown> = { ...schema }
  for (const keyword of ofOne) {
    const part = schema[keyword]
    if (isSchema(part)) changed[keyword] = change(part)
  }
  for (const keyword of ofMany) {
    const parts = schema[keyword]
    if (Array.isArray(parts)) changed[keyword] = parts.map((part) => (isSchema(part) ? change(part) : part))
  }
  for (const keyword of named) {
    const parts = schema[keyword]
    if (isSchema(parts)) changed[keyword] = mapProperties(parts, change)
  }
  return changed
}

/** Looks at the direct parts of a schema, in the same order. */
export function forEachPart(schema: JsonSchema, look: (part: JsonSchema) => void): void {
  for (const keyword of ofOne) if (isSchema(schema[keyword])) look(schema[keyword])
  for (const keyword of ofMany) {
    const parts = schema[keyword]
    if (Array.isArray(parts)) for (const part of parts) if (isSchema(part)) look(part)
  }
  for (const keyword of named) {
    const parts = schema[keyword]
    if (isSchema(parts)) for (const name in parts) if (isSchema(parts[name])) look(parts[name])
  }
}

function mapProperties(parts: object, change: Change): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, isSchema(part) ? change(part) : part]))
}

function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
