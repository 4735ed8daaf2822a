import type { JsonSchema } from '../schema/json-schema.ts'
import { atLocalRef } from '../schema/local-refs.ts'

type Way = readonly (string | number)[]

/**
 * The ways to members that a schema does not name. Validators drop such members in silence; a client should hear that they would be
 * lost. A schema that says what further members may be (`additionalProperties`) allows them, but for `__proto__`, which validators drop
 * where they go through the members.
 */
export function unknownMembers(schema: JsonSchema, value: unknown): readonly Way[] {
  return unknownTo({ root: schema, schema, known: new Map() }, value)
}

/** What a schema has instead of a member that it does not, to end a sentence with: of its own members, not of those inside them. */
export function namesIn({ properties }: JsonSchema, way: Way): string {
  return way.length === 1 && properties ? `; it has ${Object.keys(properties).join(', ') || 'none'}` : ''
}

/** A schema within another, which it may refer into (`#`, `#/$defs/…`), as recursive validators export them. */
interface Within {
  readonly root: JsonSchema
  readonly schema: JsonSchema
  /** What was found already: alternatives that refer to themselves lead to the same parts again and again. */
  readonly known: Map<object, Map<JsonSchema, readonly Way[]>>
}

function unknownTo(within: Within, value: unknown): readonly Way[] {
  if (typeof value !== 'object' || value === null) return []
  const here = resolved(within)
  const ofValue = here.known.get(value) ?? new Map<JsonSchema, readonly Way[]>()
  here.known.set(value, ofValue)
  const ways = ofValue.get(here.schema) ?? look(here, value)
  ofValue.set(here.schema, ways)
  return ways
}

function look(here: Within, value: object): readonly Way[] {
  const alternatives = here.schema.anyOf ?? here.schema.oneOf
  if (alternatives)
    return unknownToAll(
      alternatives.map((schema) => resolved({ ...here, schema })).filter(({ schema }) => fits(schema, value)),
      value,
    )
  return Array.isArray(value) ? inArray(here, value) : inObject(here, value as Record<string, unknown>)
}

function resolved(within: Within): Within {
  const { root, schema } = within
  if (schema.component) {
    const own = schema.component.schema()
    return { ...within, root: own, schema: own }
  }
  return schema.$ref?.startsWith('#') ? { ...within, schema: atLocalRef(root, schema.$ref) } : within
}

/** What one alternative knows is known. */
function unknownToAll(alternatives: readonly Within[], value: object): readonly Way[] {
  const [first, ...others] = alternatives.map((one) => unknownTo(one, value))
  const isUnknownTo = (ways: readonly Way[], way: Way) => ways.some((one) => one.join('/') === way.join('/'))
  return (first ?? []).filter((way) => others.every((ways) => isUnknownTo(ways, way)))
}

/** Could the alternative be meant, as far as the kind of value and its constants tell? */
function fits({ type, properties }: JsonSchema, value: object): boolean {
  if (type !== undefined && ![type].flat().includes(Array.isArray(value) ? 'array' : 'object')) return false
  return Object.entries(properties ?? {}).every(([name, one]) => {
    return one.const === undefined || one.const === (value as Record<string, unknown>)[name]
  })
}

function inArray(within: Within, value: readonly unknown[]): readonly Way[] {
  const { items, prefixItems } = within.schema
  const first = (prefixItems ?? []) as readonly JsonSchema[]
  return value.flatMap((one, index) => {
    const schema = first[index] ?? items
    return typeof schema === 'object' ? below(index, unknownTo({ ...within, schema }, one)) : []
  })
}

function inObject(within: Within, value: Readonly<Record<string, unknown>>): readonly Way[] {
  const { properties, additionalProperties } = within.schema
  const describesObjects = properties !== undefined || additionalProperties !== undefined
  const isClosed = properties !== undefined && (additionalProperties === undefined || additionalProperties === false)
  const inMember = (key: string, schema: JsonSchema) => below(key, unknownTo({ ...within, schema }, value[key]))
  return Object.keys(value).flatMap((key) => {
    if (key === '__proto__' && describesObjects) return [[key]]
    if (properties && Object.hasOwn(properties, key)) return inMember(key, properties[key]!)
    if (isClosed) return [[key]]
    return typeof additionalProperties === 'object' ? inMember(key, additionalProperties) : []
  })
}

function below(step: string | number, ways: readonly Way[]): readonly Way[] {
  return ways.map((way) => [step, ...way])
}
