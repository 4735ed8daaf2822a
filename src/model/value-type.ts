import type { JsonSchema } from '../schema/json-schema.ts'
import { isResourceSchema } from './resource-schema.ts'

/** The type of a stored value, for filters, stores and documents. */
export type ValueType =
  /** `format` is that of its JSON Schema: `date`, `date-time`, `email`, … */
  | {
      readonly kind: 'text'
      readonly format: string | undefined
      readonly values?: AllowedValues
      /** Those of `decimal()`. */
      readonly digits?: DecimalDigits
    }
  | { readonly kind: 'number'; readonly values?: AllowedValues }
  | { readonly kind: 'integer'; readonly values?: AllowedValues }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'array'; readonly items: ValueType }
  | { readonly kind: 'struct'; readonly members: ReadonlyMap<string, StructMember> }
  /** A union, a binary resource, or any value. It cannot be filtered or sorted by. */
  | { readonly kind: 'opaque' }

/** Of decimal numbers. */
export interface DecimalDigits {
  /** How many digits there are at most. */
  readonly precision: number
  /** How many of them follow the point. */
  readonly scale: number
}

/** The keyword with the digits of decimal numbers in a JSON Schema. */
export const digitsKeyword = 'x-resourcery-decimal'

/** All values that an enum allows, except null. */
export type AllowedValues = readonly (string | number)[]

export interface StructMember {
  readonly type: ValueType
  readonly isRequired: boolean
}

export type ScalarType = Extract<ValueType, { kind: 'text' | 'number' | 'integer' | 'boolean' }>

/** The type of ids, and of any other text without a format. */
export const plainText: ScalarType = Object.freeze({ kind: 'text', format: undefined })

/**
 * Is it a text, a number or a boolean, so that its values have an order?
 *
 * ```ts
 * isScalar({ kind: 'integer' }) // true
 * isScalar({ kind: 'array', items: { kind: 'text', format: undefined } }) // false
 * ```
 */
export function isScalar(type: ValueType): type is ScalarType {
  return (
    type.kind === 'text' ||
    type.kind === 'number' ||
    type.kind === 'integer' ||
    type.kind === 'boolean'
  )
}

/**
 * Date-times are compared as instants, whatever their time zone. Is it a date-time (RFC 3339)?
 *
 * ```ts
 * isInstant({ kind: 'text', format: 'date-time' }) // true
 * isInstant({ kind: 'text', format: 'date' }) // false
 * ```
 */
export function isInstant(type: ValueType): boolean {
  return type.kind === 'text' && type.format === 'date-time' && !type.values
}

/**
 * Is it a date without a time?
 *
 * ```ts
 * isDay({ kind: 'text', format: 'date' }) // true
 * ```
 */
export function isDay(type: ValueType): boolean {
  return type.kind === 'text' && type.format === 'date' && !type.values
}

/**
 * Decimal numbers are texts, and compare as numbers. Is it one?
 *
 * ```ts
 * isDecimal({ kind: 'text', format: 'decimal' }) // true
 * ```
 */
export function isDecimal(type: ValueType): boolean {
  return type.kind === 'text' && type.format === 'decimal' && !type.values
}

/** How texts of a type compare, where not by code point. */
export function comparedAs(type: ValueType): 'instant' | 'decimal' | undefined {
  return isInstant(type) ? 'instant' : isDecimal(type) ? 'decimal' : undefined
}

/** The type of the values of a JSON Schema. `null` as an alternative is ignored. */
export function valueTypeOf(schema: JsonSchema): ValueType {
  if (isResourceSchema(schema)) return opaque
  const alternatives = (schema.anyOf ?? schema.oneOf)?.filter(({ type }) => type !== 'null')
  if (alternatives)
    return alternatives.length === 1 ? valueTypeOf(alternatives[0]!) : commonType(alternatives)
  if (schema.enum) return typeOfAll(schema.enum)
  if (schema.const !== undefined) return typeOfAll([schema.const])
  switch (singleTypeOf(schema)) {
    case 'string':
      return textOf(schema)
    case 'number':
      return { kind: 'number' }
    case 'integer':
      return { kind: 'integer' }
    case 'boolean':
      return { kind: 'boolean' }
    case 'array':
      return typeof schema.items === 'object'
        ? { kind: 'array', items: valueTypeOf(schema.items) }
        : opaque
    case 'object':
      return structOf(schema)
    default:
      return opaque
  }
}

function textOf(schema: JsonSchema): ValueType {
  const digits = schema[digitsKeyword] as DecimalDigits | undefined
  return { kind: 'text', format: schema.format, ...(digits && { digits }) }
}

const opaque: ValueType = Object.freeze({ kind: 'opaque' })

function singleTypeOf(schema: JsonSchema): string | undefined {
  const types = [schema.type].flat().filter((type) => type !== 'null')
  return types.length === 1 ? types[0] : undefined
}

function structOf(schema: JsonSchema): ValueType {
  if (!schema.properties) return opaque
  const members = Object.entries(schema.properties).map(
    ([name, member]): [string, StructMember] => [
      name,
      { type: valueTypeOf(member), isRequired: schema.required?.includes(name) ?? false },
    ],
  )
  return { kind: 'struct', members: new Map(members) }
}

function commonType(alternatives: readonly JsonSchema[]): ValueType {
  const types = unifyNumberTypes(alternatives.map(valueTypeOf))
  const [first] = types
  if (!first || !isScalar(first) || types.some(({ kind }) => kind !== first.kind)) return opaque
  const values = types.flatMap((type) => allowedValuesOf(type) ?? [])
  const isEnum = first.kind !== 'boolean' && types.every(allowedValuesOf)
  if (isEnum) return { ...first, values: [...new Set(values)] }
  return first.kind === 'text'
    ? { kind: 'text', format: commonFormat(types) }
    : withoutAllowedValues(first)
}

/** Turns integers into numbers if both occur. */
function unifyNumberTypes(types: readonly ValueType[]): readonly ValueType[] {
  if (!types.every(({ kind }) => kind === 'number' || kind === 'integer')) return types
  return types.some(({ kind }) => kind === 'number')
    ? types.map((type) => ({ ...type, kind: 'number' }))
    : types
}

function commonFormat(types: readonly ValueType[]): string | undefined {
  const formats = new Set(types.map((type) => (type.kind === 'text' ? type.format : undefined)))
  return formats.size === 1 ? [...formats][0] : undefined
}

/** Undefined if the type allows any value. */
export function allowedValuesOf(type: ValueType): AllowedValues | undefined {
  return 'values' in type ? type.values : undefined
}

/** The type without the restriction of an enum. */
export function withoutAllowedValues(type: ScalarType): ScalarType {
  if (type.kind === 'boolean' || type.values === undefined) return type
  const { values: _, ...rest } = type
  return rest
}

function typeOfAll(values: readonly unknown[]): ValueType {
  const present = values.filter((value) => value !== null)
  const types = new Set(present.map((value) => typeof value))
  if (types.size !== 1) return opaque
  if (types.has('string')) return { kind: 'text', format: undefined, values: present as string[] }
  if (types.has('number'))
    return {
      kind: present.every(Number.isInteger) ? 'integer' : 'number',
      values: present as number[],
    }
  return types.has('boolean') ? { kind: 'boolean' } : opaque
}
