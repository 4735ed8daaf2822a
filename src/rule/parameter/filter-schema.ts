import { pascalOf } from '../../model/naming.ts'
import { type ScalarType, type Values, valuesOf } from '../../model/value-type.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import type { Limits } from '../limits.ts'
import { type Filterable, type FilterOperator, maxSearchLength, operandType } from './filter-operators.ts'
import { decimalPattern } from './typed-value.ts'

/** The operators of what is filtered by, each with what it is compared with. One schema for all members of one kind. */
export function filterSchema({ type, operators }: Filterable, limits: Limits): JsonSchema {
  const made = schemas.get(limits) ?? new Map<string, JsonSchema>()
  schemas.set(limits, made)
  const name = nameOf(type, operators)
  const kind = name + JSON.stringify(valuesOf(type))
  const known = made.get(kind)
  if (known) return known
  const schema = component(name, 'service', () => operatorsSchema({ type, operators }, limits))
  made.set(kind, schema)
  return schema
}

function operatorsSchema({ type, operators }: Filterable, limits: Limits): JsonSchema {
  const properties = Array.from(operators, ([name, { takes }]): [string, JsonSchema] => [
    name,
    operandSchema(takes, type, limits),
  ])
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false }
}

const schemas = new WeakMap<Limits, Map<string, JsonSchema>>()

function nameOf(type: ScalarType, operators: Filterable['operators']): string {
  if (operators.has('any')) return `${typeName(type)}sFilter`
  return operators.has('gt') ? `${typeName(type)}Filter` : 'RelationFilter'
}

function typeName(type: ScalarType): string {
  const values = valuesOf(type)
  if (values) return choiceName(values)
  const format = type.kind === 'text' ? formats[type.format ?? ''] : undefined
  return format ?? { text: 'Text', number: 'Number', integer: 'Integer', boolean: 'Boolean' }[type.kind]
}

/** `DraftOrPublished`; of many values the first ones. */
function choiceName(values: Values): string {
  const words = values.map((value) => pascalOf(String(value))).filter((word) => word !== '')
  return words.slice(0, 4).join('Or') || 'Choice'
}

const formats: Readonly<Record<string, string>> = { date: 'Date', 'date-time': 'DateTime' }

function operandSchema(takes: FilterOperator['takes'], type: ScalarType, limits: Limits): JsonSchema {
  switch (takes) {
    case 'text':
      return { type: 'string', maxLength: maxSearchLength }
    case 'pattern':
      return { type: 'string', maxLength: limits.maxPatternLength }
    case 'several':
      return severalSchema(type, limits)
    default:
      return scalarSchema(operandType(takes, type))
  }
}

function scalarSchema(type: ScalarType): JsonSchema {
  const values = valuesOf(type)
  if (values) return { type: type.kind === 'text' ? 'string' : type.kind, enum: values }
  if (type.kind !== 'text') return { type: type.kind }
  return type.format !== undefined && formats[type.format]
    ? { type: 'string', format: type.format }
    : { type: 'string' }
}

/** Values are split at commas; OpenAPI says nothing of arrays within members, so they are written as the text they are. */
function severalSchema(type: ScalarType, { filterValues }: Limits): JsonSchema {
  const values = valuesOf(type)
  const one = values
    ? choicePattern(values)
    : { text: undefined, number: decimalPattern, integer: '-?\\d+', boolean: '(?:true|false)' }[type.kind]
  if (one === undefined) return { type: 'string' }
  return { type: 'string', pattern: `^${one}(?:,${one}){0,${filterValues - 1}}$` }
}

/** A value with a comma in it can be named in an expression only. */
function choicePattern(values: Values): string | undefined {
  const plain = values.map(String).filter((value) => !value.includes(','))
  const escaped = plain.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return escaped.length === 0 ? undefined : `(?:${escaped.join('|')})`
}

/** What each operator asks of a member. Told once, where filters are described: every list has many of them. */
export const filterMeanings: Readonly<Record<string, string>> = {
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
