import type { JsonSchema } from '../schema/json-schema.ts'

type Way = readonly (string | number)[]

/**
 * The ways to members that a schema does not name. Validators drop such members in silence; a client should hear that they would be
 * lost. A schema that says what further members may be (`additionalProperties`) allows them, but for `__proto__`, which validators drop
 * where they go through the members.
 */
export function unknownMembers(given: JsonSchema, value: unknown): readonly Way[] {
  const schema = given.component ? given.component.schema() : given
  if (typeof value !== 'object' || value === null) return []
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives)
    return unknownToAll(
      alternatives.filter((one) => fits(one, value)),
      value,
    )
  return Array.isArray(value) ? inArray(schema, value) : inObject(schema, value as Record<string, unknown>)
}

/** What one alternative knows is known. */
function unknownToAll(alternatives: readonly JsonSchema[], value: object): readonly Way[] {
  const [first, ...others] = alternatives.map((one) => unknownMembers(one, value))
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

function inArray({ items, prefixItems }: JsonSchema, value: readonly unknown[]): readonly Way[] {
  const first = (prefixItems ?? []) as readonly JsonSchema[]
  return value.flatMap((one, index) => {
    const schema = first[index] ?? items
    return typeof schema === 'object' ? below(index, unknownMembers(schema, one)) : []
  })
}

function inObject(
  { properties, additionalProperties }: JsonSchema,
  value: Readonly<Record<string, unknown>>,
): readonly Way[] {
  const describesObjects = properties !== undefined || additionalProperties !== undefined
  const isClosed = properties !== undefined && (additionalProperties === undefined || additionalProperties === false)
  return Object.entries(value).flatMap(([key, member]) => {
    if (key === '__proto__' && describesObjects) return [[key]]
    if (properties && Object.hasOwn(properties, key)) return below(key, unknownMembers(properties[key]!, member))
    if (isClosed) return [[key]]
    return typeof additionalProperties === 'object' ? below(key, unknownMembers(additionalProperties, member)) : []
  })
}

function below(step: string | number, ways: readonly Way[]): readonly Way[] {
  return ways.map((way) => [step, ...way])
}
