import { resolveLocalRef } from '../../schema/extract-local-refs.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'

type Step = string | number
type MemberPath = readonly Step[]

/** The unknown members of a value, by name or index: the member as a whole, or those inside it. */
type Unknown = ReadonlyMap<Step, Unknown | 'whole'>

const noneUnknown: Unknown = new Map()

/**
 * The ways to members that a schema does not name. Validators drop such members in silence; a
 * client should hear that they would be lost. A schema that says what further members may be
 * (`additionalProperties`) allows them, but for `__proto__`, which validators drop where they go
 * through the members.
 * @param most no more are told than so many
 */
export function unknownMembers(
  schema: JsonSchema,
  value: unknown,
  most: number,
): readonly MemberPath[] {
  const ways: MemberPath[] = []
  for (const way of memberPaths(unknownIn({ root: schema, schema, cache: undefined }, value), [])) {
    if (ways.length === most) break
    ways.push(way)
  }
  return ways
}

function* memberPaths(unknown: Unknown, before: MemberPath): Generator<MemberPath> {
  for (const [step, inside] of unknown) {
    const way = [...before, step]
    if (inside === 'whole') yield way
    else yield* memberPaths(inside, way)
  }
}

/**
 * What a schema has instead of a member that it does not, to end a sentence with: of its own
 * members, not of those inside them.
 */
export function knownMembersHint({ properties }: JsonSchema, way: MemberPath): string {
  return way.length === 1 && properties
    ? `; it has ${Object.keys(properties).join(', ') || 'none'}`
    : ''
}

/**
 * A schema within another, which it may refer into (`#`, `#/$defs/…`), as recursive validators
 * export them.
 */
interface SchemaContext {
  readonly root: JsonSchema
  readonly schema: JsonSchema
  /**
   * What was found already within alternatives: such as refer to themselves lead to the same parts
   * again and again. All else is met once.
   */
  readonly cache: Map<object, Map<JsonSchema, Unknown>> | undefined
}

function unknownIn(within: SchemaContext, value: unknown): Unknown {
  if (typeof value !== 'object' || value === null) return noneUnknown
  const here = resolveReference(within)
  if (!here.cache) return findUnknown(here, value)
  const ofValue = here.cache.get(value) ?? new Map<JsonSchema, Unknown>()
  here.cache.set(value, ofValue)
  const unknown = ofValue.get(here.schema) ?? findUnknown(here, value)
  ofValue.set(here.schema, unknown)
  return unknown
}

function findUnknown(here: SchemaContext, value: object): Unknown {
  const alternatives = here.schema.anyOf ?? here.schema.oneOf
  if (alternatives) {
    const known = here.cache ?? new Map()
    return unknownInAll(
      alternatives
        .map((schema) => resolveReference({ ...here, cache: known, schema }))
        .filter(({ schema }) => couldApply(schema, value)),
      value,
    )
  }
  return Array.isArray(value)
    ? unknownInArray(here, value)
    : unknownInObject(here, value as Record<string, unknown>)
}

function resolveReference(within: SchemaContext): SchemaContext {
  const { root, schema } = within
  if (schema.component) {
    const own = schema.component.schema()
    return { ...within, root: own, schema: own }
  }
  return schema.$ref?.startsWith('#')
    ? { ...within, schema: resolveLocalRef(root, schema.$ref) }
    : within
}

/** What one alternative knows is known. */
function unknownInAll(alternatives: readonly SchemaContext[], value: object): Unknown {
  const [first = noneUnknown, ...others] = alternatives.map((one) => unknownIn(one, value))
  return others.reduce(intersect, first)
}

/** Looks up each member once: a body can have as many members as it has room for. */
function intersect(one: Unknown, other: Unknown): Unknown {
  if (one === other) return one
  const both = new Map<Step, Unknown | 'whole'>()
  for (const [step, inside] of one) {
    const there = other.get(step)
    if (inside === 'whole' || there === 'whole') {
      if (inside === there) both.set(step, inside)
    } else if (there) addUnknown(both, step, intersect(inside, there))
  }
  return both
}

/** Could the alternative be meant, as far as the kind of value and its constants tell? */
function couldApply({ type, properties }: JsonSchema, value: object): boolean {
  if (type !== undefined && ![type].flat().includes(Array.isArray(value) ? 'array' : 'object'))
    return false
  return Object.entries(properties ?? {}).every(([name, one]) => {
    return one.const === undefined || one.const === (value as Record<string, unknown>)[name]
  })
}

function unknownInArray(within: SchemaContext, value: readonly unknown[]): Unknown {
  const { items, prefixItems } = within.schema
  const first = (prefixItems ?? []) as readonly JsonSchema[]
  const unknown = new Map<Step, Unknown | 'whole'>()
  for (const [index, one] of value.entries()) {
    const schema = first[index] ?? items
    if (typeof schema === 'object')
      addUnknown(unknown, index, unknownIn({ ...within, schema }, one))
  }
  return unknown
}

function unknownInObject(within: SchemaContext, value: Readonly<Record<string, unknown>>): Unknown {
  const { properties, additionalProperties } = within.schema
  const describesObjects = properties !== undefined || additionalProperties !== undefined
  const isClosed =
    properties !== undefined &&
    (additionalProperties === undefined || additionalProperties === false)
  const unknown = new Map<Step, Unknown | 'whole'>()
  const inMember = (key: string, schema: JsonSchema) =>
    addUnknown(unknown, key, unknownIn({ ...within, schema }, value[key]))
  for (const key of Object.keys(value)) {
    if (key === '__proto__' && describesObjects) unknown.set(key, 'whole')
    else if (properties && Object.hasOwn(properties, key)) inMember(key, properties[key]!)
    else if (isClosed) unknown.set(key, 'whole')
    else if (typeof additionalProperties === 'object') inMember(key, additionalProperties)
  }
  return unknown
}

function addUnknown(unknown: Map<Step, Unknown | 'whole'>, step: Step, inside: Unknown): void {
  if (inside.size > 0) unknown.set(step, inside)
}
