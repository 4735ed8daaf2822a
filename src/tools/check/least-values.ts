import { type DocumentNode, escapeToken, followReferences, isRecord } from './document-node.ts'

/** The smallest value that a schema admits. */
export interface LeastValue {
  /** How many values and characters it has at least; infinite if the schema requires itself. */
  readonly size: number
  readonly depth: number
}

/** A schema that other schemas consist of, with its place in the document. */
interface MeasuredSchema {
  readonly pointer: string
  readonly schema: Readonly<Record<string, unknown>>
  readonly parts: readonly Part[]
}

/** What a schema is made of, and how often a value has it at least. */
interface Part {
  readonly kind: 'alternative' | 'all' | 'member'
  readonly node: DocumentNode
  readonly count: number
}

type LeastValues = ReadonlyMap<unknown, LeastValue>

const nothing: LeastValue = { size: 1, depth: 0 }
const endless: LeastValue = { size: Number.POSITIVE_INFINITY, depth: Number.POSITIVE_INFINITY }

/** Measures the values of a schema, and of all schemas that it refers to. */
export function leastValues(document: unknown, root: DocumentNode): LeastValues {
  const schemas = schemasBelow(document, root)
  const least = new Map<unknown, LeastValue>()
  // Starts with the greatest values, and stops where none becomes smaller.
  for (let hasChanged = true; hasChanged; ) {
    hasChanged = false
    // Those that were found last consist of fewer others.
    for (const { schema, parts } of [...schemas.values()].reverse()) {
      const value = leastOf(schema, parts, least)
      const before = least.get(schema) ?? endless
      if (value.size >= before.size && value.depth >= before.depth) continue
      least.set(schema, value)
      hasChanged = true
    }
  }
  return least
}

export function leastValueOf(least: LeastValues, { value }: DocumentNode): LeastValue {
  return isRecord(value) ? (least.get(value) ?? endless) : nothing
}

/** The pointer of the schema that makes a value exceed the limit: the innermost such schema. */
export function exceedingSchema(
  document: unknown,
  root: DocumentNode,
  exceeds: (value: LeastValue) => boolean,
): string {
  const least = leastValues(document, root)
  const schemas = schemasBelow(document, root)
  const passed = new Set<unknown>()
  let current = followReferences(document, root)
  for (;;) {
    passed.add(current.value)
    const parts = schemas.get(current.value)?.parts ?? []
    const next = parts.find(({ node }) => exceeds(leastValueOf(least, node)))?.node
    if (!next || passed.has(next.value)) return (next ?? current).pointer
    current = next
  }
}

function leastOf(
  schema: Readonly<Record<string, unknown>>,
  parts: readonly Part[],
  least: LeastValues,
): LeastValue {
  if (isNullable(schema)) return nothing
  const measured = (kind: Part['kind']) =>
    parts
      .filter((part) => part.kind === kind)
      .map((part) => ({ part, value: leastValueOf(least, part.node) }))
  const members = measured('member')
  const alternatives = measured('alternative').map(({ value }) => value)
  const all = measured('all').map(({ value }) => value)
  const smallest = alternatives.length === 0 ? nothing : alternatives.reduce(smaller)
  const memberSize = members.reduce((sum, { part, value }) => sum + part.count * value.size, 0)
  const memberDepth = Math.max(-1, ...members.map(({ value }) => value.depth))
  const length = schema.type === 'string' ? numberOf(schema.minLength) : 0
  return {
    size: Math.max(1 + length + memberSize, smallest.size, ...all.map(({ size }) => size)),
    depth: Math.max(1 + memberDepth, smallest.depth, ...all.map(({ depth }) => depth)),
  }
}

function smaller(one: LeastValue, other: LeastValue): LeastValue {
  return other.size < one.size ? other : one
}

function isNullable({ type, ...schema }: Readonly<Record<string, unknown>>): boolean {
  return 'const' in schema || 'enum' in schema || (Array.isArray(type) && type.includes('null'))
}

function schemasBelow(document: unknown, root: DocumentNode): ReadonlyMap<unknown, MeasuredSchema> {
  const schemas = new Map<unknown, MeasuredSchema>()
  const open = [followReferences(document, root)]
  for (let node = open.pop(); node; node = open.pop()) {
    const { value, pointer } = node
    if (!isRecord(value) || schemas.has(value)) continue
    const parts = partsOf(document, value, pointer)
    schemas.set(value, { pointer, schema: value, parts })
    open.push(...parts.map((part) => part.node))
  }
  return schemas
}

function partsOf(
  document: unknown,
  schema: Readonly<Record<string, unknown>>,
  pointer: string,
): readonly Part[] {
  const parts: Part[] = []
  const add = (kind: Part['kind'], value: unknown, steps: string, count = 1) =>
    parts.push({
      kind,
      count,
      node: followReferences(document, { value, pointer: pointer + steps }),
    })
  for (const keyword of ['oneOf', 'anyOf', 'allOf'] as const) {
    const branches = schema[keyword]
    if (!Array.isArray(branches)) continue
    for (const [index, branch] of branches.entries())
      add(keyword === 'allOf' ? 'all' : 'alternative', branch, `/${keyword}/${index}`)
  }
  const { required, properties, items } = schema
  if (Array.isArray(required) && isRecord(properties))
    for (const name of required.filter((each) => Object.hasOwn(properties, each)))
      add('member', properties[name], `/properties/${escapeToken(name)}`)
  const minItems = numberOf(schema.minItems)
  if (minItems > 0) add('member', items ?? true, '/items', minItems)
  return parts
}

function numberOf(value: unknown): number {
  return typeof value === 'number' && value > 0 ? value : 0
}
