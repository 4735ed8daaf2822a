import type { JsonSchema } from '../../schema/json-schema.ts'
import { mapSubschemas } from '../../schema/map-subschemas.ts'

/**
 * Where a schema gives another kind of value than it takes, so that what was given cannot be sent
 * back.
 */
export interface RoundTripMismatch {
  /** Names of members, from the value on; empty where it is the value itself. */
  readonly path: readonly string[]
  readonly outputType: string
  readonly inputType: string
}

/** Undefined where each kind of value that is given is taken too, as far as the schemas tell. */
export function findRoundTripMismatch(
  taken: JsonSchema,
  given: JsonSchema,
  way: readonly string[] = [],
): RoundTripMismatch | undefined {
  if (isComposedSchema(taken) || isComposedSchema(given)) return undefined
  const ways = given.anyOf ?? given.oneOf
  if (ways) return findFirst(ways, (one) => findRoundTripMismatch(taken, one, way))
  const alternatives = taken.anyOf ?? taken.oneOf
  if (alternatives) {
    const found = alternatives.map((one) => findRoundTripMismatch(one, given, way))
    return found.includes(undefined)
      ? undefined
      : found.reduce((one, other) => deeperMismatch(one!, other!))
  }
  const kinds = { taken: typesOf(taken), given: typesOf(given) }
  const isTaken = (kind: string) =>
    kinds.taken!.includes(kind) || (kind === 'integer' && kinds.taken!.includes('number'))
  if (kinds.taken && kinds.given && !kinds.given.every(isTaken))
    return { path: way, outputType: kinds.given.join(' or '), inputType: kinds.taken.join(' or ') }
  const members = Object.entries(given.properties ?? {})
  return (
    findFirst(members, ([name, one]) => {
      const member = taken.properties?.[name]
      return member && findRoundTripMismatch(member, one, [...way, name])
    }) ??
    findMismatchInSubschema(taken.items, given.items, [...way, '*']) ??
    findMismatchInSubschema(taken.additionalProperties, given.additionalProperties, [...way, '*'])
  )
}

/**
 * Does a schema take what it gives just as it stands, as far as the schemas tell? What was stored
 * by it can then be held against it again; a transformation may read another form than it stores.
 */
export function hasSameInputAndOutput(taken: JsonSchema, given: JsonSchema): boolean {
  return JSON.stringify(withoutDefaults(taken)) === JSON.stringify(withoutDefaults(given))
}

/**
 * Without what differs between a value that is taken and one that is given although it is read as
 * it stands.
 */
function withoutDefaults(schema: JsonSchema): JsonSchema {
  const {
    default: _,
    required: __,
    additionalProperties,
    ...rest
  } = mapSubschemas(schema, withoutDefaults)
  return typeof additionalProperties === 'object' ? { ...rest, additionalProperties } : rest
}

function isComposedSchema({ $ref, component, allOf }: JsonSchema): boolean {
  return $ref !== undefined || component !== undefined || allOf !== undefined
}

/** Undefined where any may be. */
function typesOf({ type, enum: values, const: value }: JsonSchema): readonly string[] | undefined {
  if (type !== undefined) return [type].flat()
  if (values) return [...new Set(values.map(jsonTypeOf))]
  return value === undefined ? undefined : [jsonTypeOf(value)]
}

function jsonTypeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

function findMismatchInSubschema(
  taken: JsonSchema | boolean | undefined,
  given: JsonSchema | boolean | undefined,
  way: readonly string[],
): RoundTripMismatch | undefined {
  return typeof taken === 'object' && typeof given === 'object'
    ? findRoundTripMismatch(taken, given, way)
    : undefined
}

/** The one that says more: of alternatives, that which agrees for longer. */
function deeperMismatch(one: RoundTripMismatch, other: RoundTripMismatch): RoundTripMismatch {
  return other.path.length > one.path.length ? other : one
}

function findFirst<T, R>(all: readonly T[], find: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}
