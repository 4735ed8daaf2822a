import type { ScalarType } from '../../model/value-type.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import type { Limits } from '../limits.ts'
import type { Filterable } from './filter-operators.ts'
import { decimalPattern } from './typed-value.ts'

/** The operators of what is filtered by, each with what it is compared with. One schema for all members of one kind. */
export function filterSchema({ type, operators }: Filterable, limits: Limits): JsonSchema {
  const names = [...operators.keys()]
  const made = schemas.get(limits) ?? new Map<string, JsonSchema>()
  schemas.set(limits, made)
  const name = nameOf(type, operators)
  const known = made.get(name)
  if (known) return known
  const properties = () =>
    Object.fromEntries(
      names.map((operator) => {
        const { takes } = operators.get(operator)!
        return [operator, { ...operandSchema(takes, type, limits), description: meaning[operator]! }]
      }),
    )
  const schema = component(name, 'service', () => ({
    type: 'object',
    properties: properties(),
    additionalProperties: false,
  }))
  made.set(name, schema)
  return schema
}

const schemas = new WeakMap<Limits, Map<string, JsonSchema>>()

function nameOf(type: ScalarType, operators: Filterable['operators']): string {
  if (operators.has('any')) return `${typeName(type)}sFilter`
  return operators.has('gt') ? `${typeName(type)}Filter` : 'RelationFilter'
}

function typeName(type: ScalarType): string {
  const format = type.kind === 'text' ? formats[type.format ?? ''] : undefined
  return format ?? { text: 'Text', number: 'Number', integer: 'Integer', boolean: 'Boolean' }[type.kind]
}

const formats: Readonly<Record<string, string>> = { date: 'Date', 'date-time': 'DateTime' }

function operandSchema(takes: 'one' | 'text' | 'several' | 'flag', type: ScalarType, limits: Limits): JsonSchema {
  switch (takes) {
    case 'one':
      return scalarSchema(type)
    case 'text':
      return { type: 'string', maxLength: 1_000 }
    case 'flag':
      return { type: 'boolean' }
    case 'several':
      return severalSchema(type, limits)
  }
}

function scalarSchema(type: ScalarType): JsonSchema {
  if (type.kind !== 'text') return { type: type.kind }
  return type.format !== undefined && formats[type.format]
    ? { type: 'string', format: type.format }
    : { type: 'string' }
}

/** Values are split at commas; OpenAPI says nothing of arrays within members, so they are written as the text they are. */
function severalSchema(type: ScalarType, { filterValues }: Limits): JsonSchema {
  const one = { text: undefined, number: decimalPattern, integer: '-?\\d+', boolean: '(?:true|false)' }[type.kind]
  if (one === undefined) return { type: 'string' }
  return { type: 'string', pattern: `^${one}(?:,${one}){0,${filterValues - 1}}$` }
}

const meaning: Readonly<Record<string, string>> = {
  eq: 'equals the value',
  ne: 'differs from the value',
  gt: 'is greater than the value',
  gte: 'is the value or greater',
  lt: 'is less than the value',
  lte: 'is the value or less',
  in: 'is one of the values, separated by commas',
  nin: 'is none of the values, separated by commas',
  isNull: 'is null (true) or is not (false)',
  contains: 'contains the text',
  startsWith: 'starts with the text',
  endsWith: 'ends with the text',
  like: 'matches the pattern, in which `%` stands for any run of characters and `_` for any one',
  any: 'holds any of the values, separated by commas',
  all: 'holds all of the values, separated by commas',
}
