import type { JsonSchema } from './json-schema.ts'

/**
 * A simple value for a schema: its first example, its default, or the smallest value that it
 * allows. Undefined if there is no obvious value, for example with a `pattern`. The value may still
 * be invalid.
 */
export function sampleValue(schema: JsonSchema, depth = 0): unknown {
  if (depth > maxDepth) return undefined
  if (schema.component) return sampleValue(schema.component.schema(), depth + 1)
  const declared = [schema.examples?.[0], schema.default, schema.const, schema.enum?.[0]].find(
    (value) => value !== undefined,
  )
  if (declared !== undefined) return declared
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return sampleOfAlternatives(alternatives, depth)
  return defaultSample(schema, depth)
}

/** Schemas can be recursive. */
const maxDepth = 8

function sampleOfAlternatives(alternatives: readonly JsonSchema[], depth: number): unknown {
  const samples = alternatives
    .map((alternative) => sampleValue(alternative, depth + 1))
    .filter((value) => value !== undefined)
  return samples.find((value) => value !== null) ?? samples[0]
}

function defaultSample(schema: JsonSchema, depth: number): unknown {
  switch ([schema.type].flat().find((type) => type !== 'null')) {
    case 'string':
      return sampleText(schema)
    case 'integer':
    case 'number':
      return sampleNumber(schema)
    case 'boolean':
      return true
    case 'array':
      return sampleList(schema, depth)
    case 'object':
      return sampleObject(schema, depth)
    default:
      return undefined
  }
}

const formats: Readonly<Record<string, string>> = {
  date: '2024-05-17',
  'date-time': '2024-05-17T09:30:00Z',
  time: '09:30:00Z',
  email: 'someone@example.com',
  uri: 'https://example.com/',
  decimal: '0',
  uuid: '018f8a4e-7a2c-7c3e-9a51-0d6c4c1f2b11',
}

function sampleText({
  format,
  pattern,
  minLength = 0,
  maxLength = Number.POSITIVE_INFINITY,
}: JsonSchema): unknown {
  if (format !== undefined) return formats[format]
  if (pattern !== undefined) return undefined
  return 'text'.padEnd(Math.min(minLength, 1_000), '.').slice(0, maxLength)
}

function sampleNumber({
  minimum,
  maximum,
  exclusiveMinimum,
  exclusiveMaximum,
  multipleOf,
}: JsonSchema): number {
  const step = typeof multipleOf === 'number' ? multipleOf : 1
  const min = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step)
  const max = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step)
  if (min !== undefined && min > step) return Math.ceil(min / step) * step
  return max !== undefined && max < step ? Math.floor(max / step) * step : step
}

function sampleList({ items, minItems = 0 }: JsonSchema, depth: number): unknown {
  if (minItems === 0) return []
  const member = typeof items === 'object' ? sampleValue(items, depth + 1) : undefined
  return member === undefined || minItems > 10
    ? undefined
    : Array.from({ length: minItems }, () => member)
}

/** Has all required members, and the optional members that have an example. */
function sampleObject({ properties = {}, required = [] }: JsonSchema, depth: number): unknown {
  const members: [string, unknown][] = []
  for (const [name, schema] of Object.entries(properties)) {
    const isRequired = required.includes(name)
    if (!isRequired && schema.examples === undefined) continue
    const value = sampleValue(schema, depth + 1)
    if (value !== undefined) members.push([name, value])
    else if (isRequired) return undefined
  }
  return Object.fromEntries(members)
}
