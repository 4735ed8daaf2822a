import { component, type JsonSchema, type SchemaComponent } from './json-schema.ts'
import { mapSubschemas } from './map-subschemas.ts'
import { nullable, withoutNull } from './nullable.ts'

/**
 * The schema of a merge patch (RFC 7396): all members of an object are optional, and null removes
 * an optional member. Other values are replaced. Defaults go, because a patch does not change the
 * members that it omits.
 */
export function mergePatchSchema(schema: JsonSchema): JsonSchema {
  if (schema.component) return componentPatchSchema(schema.component)
  // Clients send back a read-only value as they received it.
  if (schema.readOnly) return schema
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) {
    const { anyOf: _, oneOf: __, default: ___, ...rest } = schema
    // Patches of different objects can look alike, so `oneOf` would refuse them.
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
  const patches = Object.entries(properties ?? {}).map(([name, member]) => {
    const patch = mergePatchSchema(member)
    return [name, required.includes(name) ? withoutNull(patch) : nullable(patch)]
  })
  return {
    ...rest,
    ...(properties && { properties: Object.fromEntries(patches) }),
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

const patchesByComponent = new WeakMap<SchemaComponent, JsonSchema>()

function componentPatchSchema(original: SchemaComponent): JsonSchema {
  const existing = patchesByComponent.get(original)
  if (existing) return existing
  const patch = component(`${original.name}Patch`, 'part', () =>
    mergePatchSchema(original.schema()),
  )
  patchesByComponent.set(original, patch)
  return patch
}
