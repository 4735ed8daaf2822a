import { component, type JsonSchema } from './json-schema.ts'
import { forEachPart, mapSchema } from './map-schema.ts'

/**
 * The schema with what it refers to within itself (`#`, `#/$defs/…`, as recursive validators export them) as components, so that it can stand
 * anywhere in a document.
 * @param name what the components are named after, in PascalCase
 */
export function withoutLocalRefs(schema: JsonSchema, name: string): JsonSchema {
  const found = new Map<string, JsonSchema>()
  const resolved = (ref: string): JsonSchema => {
    const known = found.get(ref)
    if (known) return known
    const made = component(name + namedBy(ref), 'part', () => rewritten(atLocalRef(schema, ref)))
    found.set(ref, made)
    return made
  }
  const rewritten = (part: JsonSchema): JsonSchema => {
    const { $defs: _, $ref, ...rest } = part
    if (typeof $ref !== 'string' || !$ref.startsWith('#')) return mapSchema($ref ? { ...rest, $ref } : rest, rewritten)
    return Object.keys(rest).length === 0 ? resolved($ref) : { ...mapSchema(rest, rewritten), ...resolved($ref) }
  }
  const root = rewritten(schema)
  return refersToItself(schema) ? { ...resolved('#') } : root
}

function refersToItself(schema: JsonSchema): boolean {
  let found = false
  const look = (part: JsonSchema): void => {
    found ||= part.$ref === '#'
    forEachPart(part, look)
  }
  look(schema)
  return found
}

/** What a JSON Pointer in a fragment leads to (RFC 6901 §6); the empty schema where it leads nowhere. */
export function atLocalRef(schema: JsonSchema, ref: string): JsonSchema {
  const found = stepsOf(ref).reduce<unknown>((part, step) => {
    return typeof part === 'object' && part !== null ? (part as Readonly<Record<string, unknown>>)[step] : undefined
  }, schema)
  return typeof found === 'object' && found !== null ? (found as JsonSchema) : {}
}

function stepsOf(ref: string): readonly string[] {
  return ref
    .split('/')
    .slice(1)
    .map((step) => decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~'))
}

function namedBy(ref: string): string {
  const words = stepsOf(ref).filter((step) => step !== '$defs')
  return words
    .flatMap((word) => word.split(/[^A-Za-z0-9]+/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')
}
