import type { JsonSchema } from '../schema/json-schema.ts'
import { isResourceSchema } from './resource-schema.ts'

/**
 * The shape of a stored value: what readers of filters, stores and documents need to know of a
 * schema.
 */
export type ValueType =
  /** With the JSON Schema format (`date`, `date-time`, `email`, …) that its schema names. */
  | { readonly kind: 'text'; readonly format: string | undefined; readonly values?: AllowedValues }
  | { readonly kind: 'number'; readonly values?: AllowedValues }
  | { readonly kind: 'integer'; readonly values?: AllowedValues }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'array'; readonly items: ValueType }
  | { readonly kind: 'struct'; readonly members: ReadonlyMap<string, StructMember> }
  /**
   * A union, a binary resource, or anything at all: stored and sent, but neither filtered nor
   * sorted by.
   */
  | { readonly kind: 'opaque' }

/** The only values there are beside null, where the schema lists them. */
export type AllowedValues = readonly (string | number)[]

export interface StructMember {
  readonly type: ValueType
  readonly isRequired: boolean
}

export type ScalarType = Extract<ValueType, { kind: 'text' | 'number' | 'integer' | 'boolean' }>

export function isScalar(type: ValueType): type is ScalarType {
  return (
    type.kind === 'text' ||
    type.kind === 'number' ||
    type.kind === 'integer' ||
    type.kind === 'boolean'
  )
}

/** Date-times are compared as the instants that they name, whatever zone they are written in. */
export function isInstant(type: ValueType): boolean {
  return type.kind === 'text' && type.format === 'date-time' && !type.values
}

/** Reads the shape off a JSON Schema; `null` as an alternative does not change it. */
export function valueTypeOf(schema: JsonSchema): ValueType {
  if (isResourceSchema(schema)) return opaque
  const alternatives = (schema.anyOf ?? schema.oneOf)?.filter((one) => one.type !== 'null')
  if (alternatives)
    return alternatives.length === 1 ? valueTypeOf(alternatives[0]!) : commonType(alternatives)
  if (schema.enum) return typeOfAll(schema.enum)
  if (schema.const !== undefined) return typeOfAll([schema.const])
  switch (singleTypeOf(schema)) {
    case 'string':
      return { kind: 'text', format: schema.format }
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

const opaque: ValueType = Object.freeze({ kind: 'opaque' })

function singleTypeOf(schema: JsonSchema): string | undefined {
  const types = [schema.type].flat().filter((one) => one !== 'null')
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
  if (!first || !isScalar(first) || types.some((one) => one.kind !== first.kind)) return opaque
  const values = types.flatMap((one) => allowedValuesOf(one) ?? [])
  const isListed = first.kind !== 'boolean' && types.every(allowedValuesOf)
  if (isListed) return { ...first, values: [...new Set(values)] }
  return first.kind === 'text'
    ? { kind: 'text', format: commonFormat(types) }
    : withoutAllowedValues(first)
}

/** Whole numbers beside any others are numbers. */
function unifyNumberTypes(types: readonly ValueType[]): readonly ValueType[] {
  if (!types.every((one) => one.kind === 'number' || one.kind === 'integer')) return types
  return types.some((one) => one.kind === 'number')
    ? types.map((one) => ({ ...one, kind: 'number' }))
    : types
}

/** A text that only some of the alternatives could be is none that all of them could. */
function commonFormat(types: readonly ValueType[]): string | undefined {
  const formats = new Set(types.map((one) => (one.kind === 'text' ? one.format : undefined)))
  return formats.size === 1 ? [...formats][0] : undefined
}

/** Undefined where any value of the type may be. */
export function allowedValuesOf(type: ValueType): AllowedValues | undefined {
  return 'values' in type ? type.values : undefined
}

/** Any value of the type, whether there is such a one or not. */
export function withoutAllowedValues(type: ScalarType): ScalarType {
  if (type.kind === 'boolean' || type.values === undefined) return type
  const { values: _, ...any } = type
  return any
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
