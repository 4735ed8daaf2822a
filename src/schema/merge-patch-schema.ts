import { component, type JsonSchema, type SchemaComponent } from './json-schema.ts'
import { mapSubschemas } from './map-subschemas.ts'
import { nullable, withoutNull } from './nullable.ts'

/**
 * What a merge patch of a value may hold (RFC 7396): of objects any part, where null removes what
 * may be absent; anything else is replaced whole. Defaults are gone, for what a patch leaves out
 * stays as it is.
 */
export function mergePatchSchema(schema: JsonSchema): JsonSchema {
  if (schema.component) return componentPatchSchema(schema.component)
  // What only the service sets is sent back whole.
  if (schema.readOnly) return schema
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) {
    const { anyOf: _, oneOf: __, default: ___, ...rest } = schema
    // Parts of different objects can look alike, so that one value fits several.
    return { ...rest, anyOf: alternatives.map(mergePatchSchema) }
  }
  if (schema.allOf) return withoutDefault(mapSubschemas(schema, mergePatchSchema))
  return schema.properties || typeof schema.additionalProperties === 'object'
    ? objectPatchSchema(schema)
    : withoutDefault(schema)
}

function objectPatchSchema(schema: JsonSchema): JsonSchema {
  const {
    properties,
    additionalProperties,
    required = [],
    minProperties: _,
    default: __,
    ...rest
  } = schema
  const parts = Object.entries(properties ?? {}).map(([name, part]) => {
    const patch = mergePatchSchema(part)
    return [name, required.includes(name) ? withoutNull(patch) : nullable(patch)]
  })
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(parts) }),
    ...(additionalProperties !== undefined && {
      additionalProperties:
        typeof additionalProperties === 'object'
          ? nullable(mergePatchSchema(additionalProperties))
          : additionalProperties,
    }),
  }
}

function withoutDefault({ default: _, ...rest }: JsonSchema): JsonSchema {
  return rest
}

const patches = new WeakMap<SchemaComponent, JsonSchema>()

function componentPatchSchema(of: SchemaComponent): JsonSchema {
  const known = patches.get(of)
  if (known) return known
  const patch = component(`${of.name}Patch`, 'part', () => mergePatchSchema(of.schema()))
  patches.set(of, patch)
  return patch
}
