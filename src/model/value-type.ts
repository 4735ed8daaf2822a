import type { JsonSchema } from '../schema/json-schema.ts'
import { isResourceSchema } from './resource-schema.ts'

/** The shape of a stored value: what readers of filters, stores and documents need to know of a schema. */
export type ValueType =
  /** With the JSON Schema format (`date`, `date-time`, `email`, …) that its schema names. */
  | { readonly kind: 'text'; readonly format: string | undefined }
  | { readonly kind: 'number' }
  | { readonly kind: 'integer' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'array'; readonly items: ValueType }
  | { readonly kind: 'struct'; readonly members: ReadonlyMap<string, StructMember> }
  /** A union, a binary resource, or anything at all: stored and sent, but neither filtered nor sorted by. */
  | { readonly kind: 'opaque' }

export interface StructMember {
  readonly type: ValueType
  readonly required: boolean
}

export type ScalarType = Extract<ValueType, { kind: 'text' | 'number' | 'integer' | 'boolean' }>

export function isScalar(type: ValueType): type is ScalarType {
  return type.kind === 'text' || type.kind === 'number' || type.kind === 'integer' || type.kind === 'boolean'
}

/** Reads the shape off a JSON Schema; `null` as an alternative does not change it. */
export function valueTypeOf(schema: JsonSchema): ValueType {
  if (isResourceSchema(schema)) return opaque
  const alternatives = (schema.anyOf ?? schema.oneOf)?.filter((one) => one.type !== 'null')
  if (alternatives) return alternatives.length === 1 ? valueTypeOf(alternatives[0]!) : commonType(alternatives)
  if (schema.enum) return typeOfAll(schema.enum)
  if (schema.const !== undefined) return typeOfAll([schema.const])
  switch (soleType(schema)) {
    case 'string':
      return { kind: 'text', format: schema.format }
    case 'number':
      return { kind: 'number' }
    case 'integer':
      return { kind: 'integer' }
    case 'boolean':
      return { kind: 'boolean' }
    case 'array':
      return typeof schema.items === 'object' ? { kind: 'array', items: valueTypeOf(schema.items) } : opaque
    case 'object':
      return structOf(schema)
    default:
      return opaque
  }
}

const opaque: ValueType = Object.freeze({ kind: 'opaque' })

function soleType(schema: JsonSchema): string | undefined {
  const types = [schema.type].flat().filter((one) => one !== 'null')
  return types.length === 1 ? types[0] : undefined
}

function structOf(schema: JsonSchema): ValueType {
  if (!schema.properties) return opaque
  const members = Object.entries(schema.properties).map(([name, member]): [string, StructMember] => [
    name,
    { type: valueTypeOf(member), required: schema.required?.includes(name) ?? false },
  ])
  return { kind: 'struct', members: new Map(members) }
}

function commonType(alternatives: readonly JsonSchema[]): ValueType {
  const [first, ...others] = alternatives.map(valueTypeOf)
  return first && isScalar(first) && others.every((one) => one.kind === first.kind) ? first : opaque
}

function typeOfAll(values: readonly unknown[]): ValueType {
  const types = new Set(values.filter((value) => value !== null).map((value) => typeof value))
  if (types.size !== 1) return opaque
  if (types.has('string')) return { kind: 'text', format: undefined }
  if (types.has('number')) return values.every(Number.isInteger) ? { kind: 'integer' } : { kind: 'number' }
  return types.has('boolean') ? { kind: 'boolean' } : opaque
}
