import { component, type JsonSchema } from './json-schema.ts'
import { forEachSubschema, mapSubschemas } from './map-subschemas.ts'

/**
 * Turns the local references of a schema (`#`, `#/$defs/…`, as recursive validators export them)
 * into components, so that the schema works at any position of a document.
 * @param name the prefix of the component names, in PascalCase
 */
export function extractLocalRefs(schema: JsonSchema, name: string): JsonSchema {
  const components = new Map<string, JsonSchema>()
  const componentOf = (ref: string): JsonSchema => {
    const existing = components.get(ref)
    if (existing) return existing
    const created = component(name + nameOfRef(ref), 'part', () =>
      replaceRefs(resolveLocalRef(schema, ref)),
    )
    components.set(ref, created)
    return created
  }
  const replaceRefs = (subschema: JsonSchema): JsonSchema => {
    const { $defs: _, $ref, ...rest } = subschema
    if (typeof $ref !== 'string' || !$ref.startsWith('#'))
      return mapSubschemas($ref ? { ...rest, $ref } : rest, replaceRefs)
    return Object.keys(rest).length === 0
      ? componentOf($ref)
      : { ...mapSubschemas(rest, replaceRefs), ...componentOf($ref) }
  }
  const root = replaceRefs(schema)
  return hasRootRef(schema) ? { ...componentOf('#') } : root
}

function hasRootRef(schema: JsonSchema): boolean {
  let hasRef = false
  const visit = (subschema: JsonSchema): void => {
    hasRef ||= subschema.$ref === '#'
    forEachSubschema(subschema, visit)
  }
  visit(schema)
  return hasRef
}

/** Resolves a JSON Pointer in a fragment (RFC 6901 §6). A broken one gives the empty schema. */
export function resolveLocalRef(schema: JsonSchema, ref: string): JsonSchema {
  const target = pointerTokens(ref).reduce<unknown>((value, step) => {
    return typeof value === 'object' && value !== null
      ? (value as Readonly<Record<string, unknown>>)[step]
      : undefined
  }, schema)
  return typeof target === 'object' && target !== null ? (target as JsonSchema) : {}
}

function pointerTokens(ref: string): readonly string[] {
  return ref
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function nameOfRef(ref: string): string {
  const words = pointerTokens(ref).filter((step) => step !== '$defs')
  return words
    .flatMap((word) => word.split(/[^A-Za-z0-9]+/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
