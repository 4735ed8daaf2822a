import { component, type JsonSchema } from './json-schema.ts'
import { forEachSubschema, mapSubschemas } from './map-subschemas.ts'

/**
 * The schema with what it refers to within itself (`#`, `#/$defs/…`, as recursive validators export
 * them) as components, so that it can stand anywhere in a document.
 * @param name what the components are named after, in PascalCase
 */
export function extractLocalRefs(schema: JsonSchema, name: string): JsonSchema {
  const found = new Map<string, JsonSchema>()
  const resolved = (ref: string): JsonSchema => {
    const known = found.get(ref)
    if (known) return known
    const made = component(name + nameOfRef(ref), 'part', () =>
      rewritten(resolveLocalRef(schema, ref)),
    )
    found.set(ref, made)
    return made
  }
  const rewritten = (part: JsonSchema): JsonSchema => {
    const { $defs: _, $ref, ...rest } = part
    if (typeof $ref !== 'string' || !$ref.startsWith('#'))
      return mapSubschemas($ref ? { ...rest, $ref } : rest, rewritten)
    return Object.keys(rest).length === 0
      ? resolved($ref)
      : { ...mapSubschemas(rest, rewritten), ...resolved($ref) }
  }
  const root = rewritten(schema)
  return hasRootRef(schema) ? { ...resolved('#') } : root
}

function hasRootRef(schema: JsonSchema): boolean {
  let found = false
  const look = (part: JsonSchema): void => {
    found ||= part.$ref === '#'
    forEachSubschema(part, look)
  }
  look(schema)
  return found
}

/**
 * What a JSON Pointer in a fragment leads to (RFC 6901 §6); the empty schema where it leads
 * nowhere.
 */
export function resolveLocalRef(schema: JsonSchema, ref: string): JsonSchema {
  const found = pointerTokens(ref).reduce<unknown>((part, step) => {
    return typeof part === 'object' && part !== null
      ? (part as Readonly<Record<string, unknown>>)[step]
      : undefined
  }, schema)
  return typeof found === 'object' && found !== null ? (found as JsonSchema) : {}
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
