import type { JsonSchema } from './json-schema.ts'

/**
 * A plain value that a schema allows: its first example, its default, or the least that it takes.
 * Undefined where only whoever wrote it knows one, such as what matches a pattern; whoever needs to
 * be sure validates the value.
 */
export function sampleValue(schema: JsonSchema, depth = 0): unknown {
  if (depth > maxDepth) return undefined
  if (schema.component) return sampleValue(schema.component.schema(), depth + 1)
  const said = [schema.examples?.[0], schema.default, schema.const, schema.enum?.[0]].find(
    (one) => one !== undefined,
  )
  if (said !== undefined) return said
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives) return sampleOfAlternatives(alternatives, depth)
  return defaultSample(schema, depth)
}

/** Schemas can hold themselves. */
const maxDepth = 8

/** Null says least, so that it comes last. */
function sampleOfAlternatives(alternatives: readonly JsonSchema[], depth: number): unknown {
  const samples = alternatives
    .map((one) => sampleValue(one, depth + 1))
    .filter((one) => one !== undefined)
  return samples.find((one) => one !== null) ?? samples[0]
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
  const least = minimum ?? (exclusiveMinimum === undefined ? undefined : exclusiveMinimum + step)
  const most = maximum ?? (exclusiveMaximum === undefined ? undefined : exclusiveMaximum - step)
  if (least !== undefined && least > step) return Math.ceil(least / step) * step
  return most !== undefined && most < step ? Math.floor(most / step) * step : step
}

function sampleList({ items, minItems = 0 }: JsonSchema, depth: number): unknown {
  if (minItems === 0) return []
  const one = typeof items === 'object' ? sampleValue(items, depth + 1) : undefined
  return one === undefined || minItems > 10
    ? undefined
    : Array.from({ length: minItems }, () => one)
}

/** All members that are required, and of the others those that have an example. */
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
