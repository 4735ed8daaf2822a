import type { JsonSchema } from '../schema/json-schema.ts'
import { mapSchema } from '../schema/map-schema.ts'

/** Where a schema gives another kind of value than it takes, so that what was given cannot be sent back. */
export interface Misread {
  /** Names of members, from the value on; empty where it is the value itself. */
  readonly way: readonly string[]
  readonly given: string
  readonly taken: string
}

/** Undefined where each kind of value that is given is taken too, as far as the schemas tell. */
export function misreadOf(taken: JsonSchema, given: JsonSchema, way: readonly string[] = []): Misread | undefined {
  if (isReference(taken) || isReference(given)) return undefined
  const ways = given.anyOf ?? given.oneOf
  if (ways) return first(ways, (one) => misreadOf(taken, one, way))
  const alternatives = taken.anyOf ?? taken.oneOf
  if (alternatives) {
    const found = alternatives.map((one) => misreadOf(one, given, way))
    return found.includes(undefined) ? undefined : found.reduce((one, other) => deeper(one!, other!))
  }
  const kinds = { taken: kindsOf(taken), given: kindsOf(given) }
  const isTaken = (kind: string) =>
    kinds.taken!.includes(kind) || (kind === 'integer' && kinds.taken!.includes('number'))
  if (kinds.taken && kinds.given && !kinds.given.every(isTaken))
    return { way, given: kinds.given.join(' or '), taken: kinds.taken.join(' or ') }
  const members = Object.entries(given.properties ?? {})
  return (
    first(members, ([name, one]) => {
      const member = taken.properties?.[name]
      return member && misreadOf(member, one, [...way, name])
    }) ??
    partMisread(taken.items, given.items, [...way, '*']) ??
    partMisread(taken.additionalProperties, given.additionalProperties, [...way, '*'])
  )
}

/**
 * Does a schema take what it gives just as it stands, as far as the schemas tell? What was stored by it can then be held against it again;
 * a transformation may read another form than it stores.
 */
export function isReadAsStored(taken: JsonSchema, given: JsonSchema): boolean {
  return JSON.stringify(plain(taken)) === JSON.stringify(plain(given))
}

/** Without what differs between a value that is taken and one that is given although it is read as it stands. */
function plain(schema: JsonSchema): JsonSchema {
  const { default: _, required: __, additionalProperties, ...rest } = mapSchema(schema, plain)
  return typeof additionalProperties === 'object' ? { ...rest, additionalProperties } : rest
}

function isReference({ $ref, component, allOf }: JsonSchema): boolean {
  return $ref !== undefined || component !== undefined || allOf !== undefined
}

/** Undefined where any may be. */
function kindsOf({ type, enum: values, const: value }: JsonSchema): readonly string[] | undefined {
  if (type !== undefined) return [type].flat()
  if (values) return [...new Set(values.map(kindOf))]
  return value === undefined ? undefined : [kindOf(value)]
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return typeof value
}

function partMisread(
  taken: JsonSchema | boolean | undefined,
  given: JsonSchema | boolean | undefined,
  way: readonly string[],
): Misread | undefined {
  return typeof taken === 'object' && typeof given === 'object' ? misreadOf(taken, given, way) : undefined
}

/** The one that says more: of alternatives, that which agrees for longer. */
function deeper(one: Misread, other: Misread): Misread {
  return other.way.length > one.way.length ? other : one
}

function first<T, R>(all: readonly T[], find: (one: T) => R | undefined): R | undefined {
  for (const one of all) {
    const found = find(one)
    if (found !== undefined) return found
  }
  return undefined
}
