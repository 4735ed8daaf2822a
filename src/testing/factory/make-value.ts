import type { JsonSchema } from '../../schema/json-schema.ts'
import { makeNumber } from './make-number.ts'
import { makeText } from './make-text.ts'
import type { ValueSource } from './value-source.ts'

/** Schemas can be recursive. */
const maxDepth = 8

/**
 * A value for a schema, as readable as the schema allows: `title 1`, `title1@example.com`.
 * Undefined if the schema says too little. The caller validates it.
 */
export function makeValue(schema: JsonSchema, source: ValueSource, depth = 0): unknown {
  if (depth > maxDepth) return undefined
  if (schema.component) return makeValue(schema.component.schema(), source, depth + 1)
  if (schema.examples && schema.examples.length > 0) return pick(schema.examples, source)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return pick(schema.enum, source)
  if (schema.allOf)
    return makeValue(
      Object.assign({}, schema, ...schema.allOf, { allOf: undefined }),
      source,
      depth + 1,
    )
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) {
    const notNull = alternatives.filter(({ type }) => type !== 'null')
    return makeValue(notNull[0] ?? alternatives[0]!, source, depth + 1)
  }
  switch ([schema.type].flat().find((type) => type !== 'null')) {
    case 'string':
      return makeText(schema, source)
    case 'integer':
    case 'number':
      return makeNumber(schema, source)
    case 'boolean':
      return source.random() < 0.5
    case 'array':
      return makeList(schema, source, depth)
    case 'object':
      return makeObject(schema, source, depth)
    default:
      return undefined
  }
}

function pick(values: readonly unknown[], { random }: ValueSource): unknown {
  return values[Math.floor(random() * values.length)]
}

function makeList(
  { items, minItems = 0 }: JsonSchema,
  source: ValueSource,
  depth: number,
): unknown {
  if (minItems === 0) return []
  if (typeof items !== 'object') return undefined
  return Array.from({ length: minItems }, (_, index) =>
    // Elements may have to differ.
    makeValue(items, { ...source, number: source.number * minItems + index }, depth + 1),
  )
}

/** Has the required members. */
function makeObject(
  { properties = {}, required = [] }: JsonSchema,
  source: ValueSource,
  depth: number,
): unknown {
  const members: [string, unknown][] = []
  for (const name of required) {
    const schema = properties[name]
    const value = schema && makeValue(schema, { ...source, name }, depth + 1)
    if (value === undefined) return undefined
    members.push([name, value])
  }
  return Object.fromEntries(members)
}
