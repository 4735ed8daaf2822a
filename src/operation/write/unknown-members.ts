import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import { resolveLocalRef } from '../../schema/extract-local-refs.ts'
import type { JsonSchema } from '../../schema/json-schema.ts'

type Step = string | number
type MemberPath = readonly Step[]

/**
 * The unknown members of a value, by name or index: `entirely` unknown, or with unknown members
 * inside.
 */
type Unknown = ReadonlyMap<Step, Unknown | 'entirely'>

const noneUnknown: Unknown = new Map()

/**
 * The paths of members that a schema does not name. Validators drop such members silently, but
 * clients should learn of them. A schema with `additionalProperties` allows them, except
 * `__proto__`, which validators drop from objects.
 * @param maxCount paths to return at most
 */
export function unknownMembers(
  schema: JsonSchema,
  value: unknown,
  maxCount: number,
): readonly MemberPath[] {
  const paths: MemberPath[] = []
  for (const path of memberPaths(
    unknownIn({ root: schema, schema, cache: undefined }, value),
    [],
  )) {
    if (paths.length === maxCount) break
    paths.push(path)
  }
  return paths
}

function* memberPaths(unknown: Unknown, prefix: MemberPath): Generator<MemberPath> {
  for (const [step, nested] of unknown) {
    const path = [...prefix, step]
    if (nested === 'entirely') yield path
    else yield* memberPaths(nested, path)
  }
}

/**
 * The detail for an unknown member. It suggests names for a direct member of the schema alone.
 * @param owner what has the member: `'size'`
 * @param problemCount the problems before this one
 */
export function unknownMemberDetail(
  owner: string,
  { properties }: JsonSchema,
  path: MemberPath,
  problemCount: number,
): string {
  const statement = `Unknown member '${truncate(path.join('.'))}' in ${owner}`
  return path.length === 1 && properties
    ? unknownName(statement, String(path[0]), Object.keys(properties), { problemCount })
    : `${statement}.`
}

/** A schema, and the root that its local references (`#`, `#/$defs/…`) refer to. */
interface SchemaContext {
  readonly root: JsonSchema
  readonly schema: JsonSchema
  /**
   * Results inside alternatives, where recursive schemas lead to the same values again and again.
   * Elsewhere each value is visited once.
   */
  readonly cache: Map<object, Map<JsonSchema, Unknown>> | undefined
}

function unknownIn(context: SchemaContext, value: unknown): Unknown {
  if (typeof value !== 'object' || value === null) return noneUnknown
  const resolved = resolveReference(context)
  if (!resolved.cache) return findUnknown(resolved, value)
  const cacheOfValue = resolved.cache.get(value) ?? new Map<JsonSchema, Unknown>()
  resolved.cache.set(value, cacheOfValue)
  const unknown = cacheOfValue.get(resolved.schema) ?? findUnknown(resolved, value)
  cacheOfValue.set(resolved.schema, unknown)
  return unknown
}

function findUnknown(resolved: SchemaContext, value: object): Unknown {
  const alternatives = resolved.schema.anyOf ?? resolved.schema.oneOf
  if (alternatives) {
    const cache = resolved.cache ?? new Map()
    return unknownInAll(
      alternatives
        .map((schema) => resolveReference({ ...resolved, cache, schema }))
        .filter(({ schema }) => couldApply(schema, value)),
      value,
    )
  }
  return Array.isArray(value)
    ? unknownInArray(resolved, value)
    : unknownInObject(resolved, value as Record<string, unknown>)
}

function resolveReference(context: SchemaContext): SchemaContext {
  const { root, schema } = context
  if (schema.component) {
    const componentSchema = schema.component.schema()
    return { ...context, root: componentSchema, schema: componentSchema }
  }
  return schema.$ref?.startsWith('#')
    ? { ...context, schema: resolveLocalRef(root, schema.$ref) }
    : context
}

/** A member that one alternative knows is known. */
function unknownInAll(alternatives: readonly SchemaContext[], value: object): Unknown {
  const [leading = noneUnknown, ...others] = alternatives.map((alternative) =>
    unknownIn(alternative, value),
  )
  return others.reduce(intersect, leading)
}

/** Looks up each member once, because a body can have very many. */
function intersect(one: Unknown, other: Unknown): Unknown {
  if (one === other) return one
  const both = new Map<Step, Unknown | 'entirely'>()
  for (const [step, nested] of one) {
    const otherNested = other.get(step)
    if (nested === 'entirely' || otherNested === 'entirely') {
      if (nested === otherNested) both.set(step, nested)
    } else if (otherNested) addUnknown(both, step, intersect(nested, otherNested))
  }
  return both
}

/** Whether the type and the constants of the alternative fit the value. */
function couldApply({ type, properties }: JsonSchema, value: object): boolean {
  if (type !== undefined && ![type].flat().includes(Array.isArray(value) ? 'array' : 'object'))
    return false
  return Object.entries(properties ?? {}).every(([name, property]) => {
    return (
      property.const === undefined || property.const === (value as Record<string, unknown>)[name]
    )
  })
}

function unknownInArray(context: SchemaContext, value: readonly unknown[]): Unknown {
  const { items, prefixItems } = context.schema
  const leading = (prefixItems ?? []) as readonly JsonSchema[]
  const unknown = new Map<Step, Unknown | 'entirely'>()
  for (const [index, element] of value.entries()) {
    const schema = leading[index] ?? items
    if (typeof schema === 'object')
      addUnknown(unknown, index, unknownIn({ ...context, schema }, element))
  }
  return unknown
}

function unknownInObject(
  context: SchemaContext,
  value: Readonly<Record<string, unknown>>,
): Unknown {
  const { properties, additionalProperties } = context.schema
  const describesObjects = properties !== undefined || additionalProperties !== undefined
  const isClosed =
    properties !== undefined &&
    (additionalProperties === undefined || additionalProperties === false)
  const unknown = new Map<Step, Unknown | 'entirely'>()
  const inMember = (key: string, schema: JsonSchema) =>
    addUnknown(unknown, key, unknownIn({ ...context, schema }, value[key]))
  for (const key of Object.keys(value)) {
    if (key === '__proto__' && describesObjects) unknown.set(key, 'entirely')
    else if (properties && Object.hasOwn(properties, key)) inMember(key, properties[key]!)
    else if (isClosed) unknown.set(key, 'entirely')
    else if (typeof additionalProperties === 'object') inMember(key, additionalProperties)
  }
  return unknown
}

function addUnknown(unknown: Map<Step, Unknown | 'entirely'>, step: Step, nested: Unknown): void {
  if (nested.size > 0) unknown.set(step, nested)
}
