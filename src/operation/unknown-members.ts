import type { JsonSchema } from '../schema/json-schema.ts'
import { atLocalRef } from '../schema/local-refs.ts'

type Step = string | number
type Way = readonly Step[]

/** The unknown members of a value, by name or index: the member as a whole, or those inside it. */
type Unknown = ReadonlyMap<Step, Unknown | 'whole'>

const nothing: Unknown = new Map()

/**
 * The ways to members that a schema does not name. Validators drop such members in silence; a client should hear that they would be
 * lost. A schema that says what further members may be (`additionalProperties`) allows them, but for `__proto__`, which validators drop
 * where they go through the members.
 * @param most no more are told than so many
 */
export function unknownMembers(schema: JsonSchema, value: unknown, most: number): readonly Way[] {
  const ways: Way[] = []
  for (const way of waysOf(unknownTo({ root: schema, schema, known: undefined }, value), [])) {
    if (ways.length === most) break
    ways.push(way)
  }
  return ways
}

function* waysOf(unknown: Unknown, before: Way): Generator<Way> {
  for (const [step, inside] of unknown) {
    const way = [...before, step]
    if (inside === 'whole') yield way
    else yield* waysOf(inside, way)
  }
}

/** What a schema has instead of a member that it does not, to end a sentence with: of its own members, not of those inside them. */
export function namesIn({ properties }: JsonSchema, way: Way): string {
  return way.length === 1 && properties ? `; it has ${Object.keys(properties).join(', ') || 'none'}` : ''
}

/** A schema within another, which it may refer into (`#`, `#/$defs/…`), as recursive validators export them. */
interface Within {
  readonly root: JsonSchema
  readonly schema: JsonSchema
  /** What was found already within alternatives: such as refer to themselves lead to the same parts again and again. All else is met once. */
  readonly known: Map<object, Map<JsonSchema, Unknown>> | undefined
}

function unknownTo(within: Within, value: unknown): Unknown {
  if (typeof value !== 'object' || value === null) return nothing
  const here = resolved(within)
  if (!here.known) return look(here, value)
  const ofValue = here.known.get(value) ?? new Map<JsonSchema, Unknown>()
  here.known.set(value, ofValue)
  const unknown = ofValue.get(here.schema) ?? look(here, value)
  ofValue.set(here.schema, unknown)
  return unknown
}

function look(here: Within, value: object): Unknown {
  const alternatives = here.schema.anyOf ?? here.schema.oneOf
  if (alternatives) {
    const known = here.known ?? new Map()
    return unknownToAll(
      alternatives.map((schema) => resolved({ ...here, known, schema })).filter(({ schema }) => fits(schema, value)),
      value,
    )
  }
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
function unknownToAll(alternatives: readonly Within[], value: object): Unknown {
  const [first = nothing, ...others] = alternatives.map((one) => unknownTo(one, value))
  return others.reduce(inBoth, first)
}

/** Looks up each member once: a body can have as many members as it has room for. */
function inBoth(one: Unknown, other: Unknown): Unknown {
  if (one === other) return one
  const both = new Map<Step, Unknown | 'whole'>()
  for (const [step, inside] of one) {
    const there = other.get(step)
    if (inside === 'whole' || there === 'whole') {
      if (inside === there) both.set(step, inside)
    } else if (there) add(both, step, inBoth(inside, there))
  }
  return both
}

/** Could the alternative be meant, as far as the kind of value and its constants tell? */
function fits({ type, properties }: JsonSchema, value: object): boolean {
  if (type !== undefined && ![type].flat().includes(Array.isArray(value) ? 'array' : 'object')) return false
  return Object.entries(properties ?? {}).every(([name, one]) => {
    return one.const === undefined || one.const === (value as Record<string, unknown>)[name]
  })
}

function inArray(within: Within, value: readonly unknown[]): Unknown {
  const { items, prefixItems } = within.schema
  const first = (prefixItems ?? []) as readonly JsonSchema[]
  const unknown = new Map<Step, Unknown | 'whole'>()
  for (const [index, one] of value.entries()) {
    const schema = first[index] ?? items
    if (typeof schema === 'object') add(unknown, index, unknownTo({ ...within, schema }, one))
  }
  return unknown
}

function inObject(within: Within, value: Readonly<Record<string, unknown>>): Unknown {
  const { properties, additionalProperties } = within.schema
  const describesObjects = properties !== undefined || additionalProperties !== undefined
  const isClosed = properties !== undefined && (additionalProperties === undefined || additionalProperties === false)
  const unknown = new Map<Step, Unknown | 'whole'>()
  const inMember = (key: string, schema: JsonSchema) => add(unknown, key, unknownTo({ ...within, schema }, value[key]))
  for (const key of Object.keys(value)) {
    if (key === '__proto__' && describesObjects) unknown.set(key, 'whole')
    else if (properties && Object.hasOwn(properties, key)) inMember(key, properties[key]!)
    else if (isClosed) unknown.set(key, 'whole')
    else if (typeof additionalProperties === 'object') inMember(key, additionalProperties)
  }
  return unknown
}

function add(unknown: Map<Step, Unknown | 'whole'>, step: Step, inside: Unknown): void {
  if (inside.size > 0) unknown.set(step, inside)
}
