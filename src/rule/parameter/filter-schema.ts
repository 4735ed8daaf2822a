import { toPascalCase } from '../../model/naming.ts'
import { type AllowedValues, allowedValuesOf, type ScalarType } from '../../model/value-type.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import type { RouterLimits } from '../router-limits.ts'
import {
  type FilterableField,
  type FilterOperator,
  maxSearchLength,
  operandType,
} from './filter-operators.ts'
import { decimalPattern } from './typed-value.ts'

/**
 * The operators of what is filtered by, each with what it is compared with. One schema for all
 * members of one kind.
 */
export function filterSchema(
  { type, operators }: FilterableField,
  limits: RouterLimits,
): JsonSchema {
  const made = schemasByLimits.get(limits) ?? new Map<string, JsonSchema>()
  schemasByLimits.set(limits, made)
  const name = filterSchemaName(type, operators)
  const kind = name + JSON.stringify(allowedValuesOf(type))
  const known = made.get(kind)
  if (known) return known
  const schema = component(name, 'service', () => operatorsSchema({ type, operators }, limits))
  made.set(kind, schema)
  return schema
}

function operatorsSchema({ type, operators }: FilterableField, limits: RouterLimits): JsonSchema {
  const properties = Array.from(operators, ([name, { operandKind }]): [string, JsonSchema] => [
    name,
    operandSchema(operandKind, type, limits),
  ])
  return { type: 'object', properties: Object.fromEntries(properties), additionalProperties: false }
}

const schemasByLimits = new WeakMap<RouterLimits, Map<string, JsonSchema>>()

function filterSchemaName(type: ScalarType, operators: FilterableField['operators']): string {
  if (operators.has('any')) return `${typeName(type)}sFilter`
  return operators.has('gt') ? `${typeName(type)}Filter` : 'RelationFilter'
}

function typeName(type: ScalarType): string {
  const values = allowedValuesOf(type)
  if (values) return enumName(values)
  const format = type.kind === 'text' ? formats[type.format ?? ''] : undefined
  return (
    format ?? { text: 'Text', number: 'Number', integer: 'Integer', boolean: 'Boolean' }[type.kind]
  )
}

/** `DraftOrPublished`; of many values the first ones. */
function enumName(values: AllowedValues): string {
  const words = values.map((value) => toPascalCase(String(value))).filter((word) => word !== '')
  return words.slice(0, 4).join('Or') || 'Choice'
}

const formats: Readonly<Record<string, string>> = { date: 'Date', 'date-time': 'DateTime' }

function operandSchema(
  takes: FilterOperator['operandKind'],
  type: ScalarType,
  limits: RouterLimits,
): JsonSchema {
  switch (takes) {
    case 'text':
      return { type: 'string', maxLength: maxSearchLength }
    case 'pattern':
      return { type: 'string', maxLength: limits.maxPatternLength }
    case 'several':
      return valueListSchema(type, limits)
    default:
      return scalarSchema(operandType(takes, type))
  }
}

function scalarSchema(type: ScalarType): JsonSchema {
  const values = allowedValuesOf(type)
  if (values) return { type: type.kind === 'text' ? 'string' : type.kind, enum: values }
  if (type.kind !== 'text') return { type: type.kind }
  return type.format !== undefined && formats[type.format]
    ? { type: 'string', format: type.format }
    : { type: 'string' }
}

/**
 * Values are split at commas; OpenAPI says nothing of arrays within members, so they are written as
 * the text they are.
 */
function valueListSchema(type: ScalarType, { maxFilterValues }: RouterLimits): JsonSchema {
  const values = allowedValuesOf(type)
  const one = values
    ? enumPattern(values)
    : { text: undefined, number: decimalPattern, integer: '-?\\d+', boolean: '(?:true|false)' }[
        type.kind
      ]
  if (one === undefined) return { type: 'string' }
  return { type: 'string', pattern: `^${one}(?:,${one}){0,${maxFilterValues - 1}}$` }
}

/** A value with a comma in it can be named in an expression only. */
function enumPattern(values: AllowedValues): string | undefined {
  const plain = values.map(String).filter((value) => !value.includes(','))
  const escaped = plain.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return escaped.length === 0 ? undefined : `(?:${escaped.join('|')})`
}

/**
 * What each operator asks of a member. Told once, where filters are described: every list has many
 * of them.
 */
export const operatorDescriptions: Readonly<Record<string, string>> = {
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
