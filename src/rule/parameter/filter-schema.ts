import { toPascalCase } from '../../model/naming.ts'
import {
  type AllowedValues,
  allowedValuesOf,
  isDecimal,
  type ScalarType,
} from '../../model/value-type.ts'
import { decimalText } from '../../query/decimal.ts'
import { component, type JsonSchema } from '../../schema/json-schema.ts'
import type { RouterLimits } from '../router-limits.ts'
import {
  type FilterableField,
  type FilterOperator,
  maxSearchLength,
  operandType,
} from './filter-operators.ts'
import { decimalPattern } from './typed-value.ts'

/** The schema of a filter: its operators and their operands. Fields of one type share a schema. */
export function filterSchema(
  { type, operators }: FilterableField,
  limits: RouterLimits,
): JsonSchema {
  const schemas = schemasByLimits.get(limits) ?? new Map<string, JsonSchema>()
  schemasByLimits.set(limits, schemas)
  const name = filterSchemaName(type, operators)
  const key = name + JSON.stringify(allowedValuesOf(type))
  const existing = schemas.get(key)
  if (existing) return existing
  const schema = component(name, 'service', () => operatorsSchema({ type, operators }, limits))
  schemas.set(key, schema)
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

/** For example `DraftOrPublished`, with at most four values. */
function enumName(values: AllowedValues): string {
  const words = values.map((value) => toPascalCase(String(value))).filter((word) => word !== '')
  return words.slice(0, 4).join('Or') || 'Choice'
}

const formats: Readonly<Record<string, string>> = {
  date: 'Date',
  'date-time': 'DateTime',
  decimal: 'Decimal',
}

function operandSchema(
  kind: FilterOperator['operandKind'],
  type: ScalarType,
  limits: RouterLimits,
): JsonSchema {
  switch (kind) {
    case 'text':
      return { type: 'string', maxLength: maxSearchLength }
    case 'pattern':
      return { type: 'string', maxLength: limits.maxPatternLength }
    case 'values':
      return valueListSchema(type, limits)
    default:
      return scalarSchema(operandType(kind, type))
  }
}

function scalarSchema(type: ScalarType): JsonSchema {
  const values = allowedValuesOf(type)
  if (values) return { type: type.kind === 'text' ? 'string' : type.kind, enum: values }
  if (type.kind !== 'text') return { type: type.kind }
  return type.format !== undefined && formats[type.format]
    ? { type: 'string', format: type.format, ...(isDecimal(type) && decimalSchema) }
    : { type: 'string' }
}

const decimalSchema: JsonSchema = { pattern: decimalText.source }

/** A string with commas, because OpenAPI does not define arrays inside a `deepObject`. */
function valueListSchema(type: ScalarType, { maxFilterValues }: RouterLimits): JsonSchema {
  const values = allowedValuesOf(type)
  const valuePattern = values
    ? enumPattern(values)
    : {
        text: isDecimal(type) ? '-?(?:0|[1-9]\\d*)(?:\\.\\d+)?' : undefined,
        number: decimalPattern,
        integer: '-?\\d+',
        boolean: '(?:true|false)',
      }[type.kind]
  if (valuePattern === undefined) return { type: 'string' }
  const pattern = `^${valuePattern}(?:,${valuePattern}){0,${maxFilterValues - 1}}$`
  return { type: 'string', pattern }
}

/** A value with a comma needs a filter expression. */
function enumPattern(values: AllowedValues): string | undefined {
  const plain = values.map(String).filter((value) => !value.includes(','))
  const escaped = plain.map((value) => value.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&'))
  return escaped.length === 0 ? undefined : `(?:${escaped.join('|')})`
}

/** Documented once, in the description of `filter`. */
export const operatorDescriptions: Readonly<Record<string, string>> = {
  eq: 'equal to the value',
  ne: 'not equal to the value',
  gt: 'greater than the value',
  gte: 'greater than or equal to the value',
  lt: 'less than the value',
  lte: 'less than or equal to the value',
  in: 'one of the values, separated by commas',
  nin: 'none of the values, separated by commas',
  isNull: 'null (`true`) or not null (`false`)',
  contains: 'contains the text',
  startsWith: 'starts with the text',
  endsWith: 'ends with the text',
  like: 'matches the pattern; `%` matches any characters, `_` matches one character',
  iequals: 'equal to the text, whatever the case and accents of both',
  icontains: 'contains the text, whatever the case and accents of both',
  istartsWith: 'starts with the text, whatever the case and accents of both',
  any: 'has at least one of the values, separated by commas',
  all: 'has all values, separated by commas',
}
