import { component, type JsonSchema, type SchemaComponent } from './json-schema.ts'
import { mapSchema } from './map-schema.ts'
import { notNull, nullable } from './nullable.ts'

/**
 * What a merge patch of a value may hold (RFC 7396): of objects any part, where null removes what may be absent; anything else is replaced
 * whole. Defaults are gone, for what a patch leaves out stays as it is.
 */
export function patchOf(schema: JsonSchema): JsonSchema {
  if (schema.component) return patchOfComponent(schema.component)
  // What only the service sets is sent back whole.
  if (schema.readOnly) return schema
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) {
    const { anyOf: _, oneOf: __, default: ___, ...rest } = schema
    // Parts of different objects can look alike, so that one value fits several.
    return { ...rest, anyOf: alternatives.map(patchOf) }
  }
  if (schema.allOf) return withoutDefault(mapSchema(schema, patchOf))
  return schema.properties || typeof schema.additionalProperties === 'object'
    ? patchOfObject(schema)
    : withoutDefault(schema)
}

function patchOfObject(schema: JsonSchema): JsonSchema {
  const { properties, additionalProperties, required = [], minProperties: _, default: __, ...rest } = schema
  const parts = Object.entries(properties ?? {}).map(([name, part]) => {
    const patch = patchOf(part)
    return [name, required.includes(name) ? notNull(patch) : nullable(patch)]
  })
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(parts) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object' ? nullable(patchOf(additionalProperties)) : additionalProperties,
    }),
  }
}

function withoutDefault({ default: _, ...rest }: JsonSchema): JsonSchema {
  return rest
}

const patches = new WeakMap<SchemaComponent, JsonSchema>()

function patchOfComponent(of: SchemaComponent): JsonSchema {
  const known = patches.get(of)
  if (known) return known
  const patch = component(`${of.name}Patch`, 'part', () => patchOf(of.schema()))
  patches.set(of, patch)
  return patch
}
