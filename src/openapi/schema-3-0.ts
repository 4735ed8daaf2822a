import type { JsonSchema } from '../schema/json-schema.ts'
import { mapSubschemas } from '../schema/map-subschemas.ts'
import { unionSchema } from '../schema/union-schema.ts'

/** The keywords of a Schema Object of OpenAPI 3.0. */
const supportedKeywords: ReadonlySet<string> = new Set([
  'additionalProperties',
  'allOf',
  'anyOf',
  'default',
  'deprecated',
  'description',
  'enum',
  'example',
  'exclusiveMaximum',
  'exclusiveMinimum',
  'format',
  'items',
  'maxItems',
  'maxLength',
  'maxProperties',
  'maximum',
  'minItems',
  'minLength',
  'minProperties',
  'minimum',
  'multipleOf',
  'not',
  'nullable',
  'oneOf',
  'pattern',
  'properties',
  'readOnly',
  'required',
  'title',
  'type',
  'uniqueItems',
  'writeOnly',
])

/** OpenAPI 3.0 has no other way to describe null alone. */
const nullSchema: JsonSchema = Object.freeze({ type: 'object', nullable: true, enum: [null] })

function isNullSchema({ nullable, enum: values }: JsonSchema): boolean {
  return nullable === true && values?.length === 1 && values[0] === null
}

/**
 * Converts JSON Schema 2020-12, with resolved references, to OpenAPI 3.0. It drops what 3.0 cannot
 * express, so that the result accepts more rather than less.
 */
export function toSchema30(schema: JsonSchema): JsonSchema {
  const { $ref, ...siblings } = schema
  if ($ref !== undefined)
    return Object.keys(siblings).length === 0
      ? schema
      : { ...toSchema30(siblings), allOf: [{ $ref }] }
  let converted = mapSubschemas(schema, toSchema30)
  for (const step of [
    openPatternProperties,
    collapseNullable,
    replaceConst,
    replaceExamples,
    replaceContentKeywords,
    replaceTuples,
    replaceTypeLists,
    replaceExclusiveBounds,
  ])
    converted = step(converted)
  return Object.fromEntries(
    Object.entries(converted).filter(
      ([keyword]) => supportedKeywords.has(keyword) || keyword.startsWith('x-'),
    ),
  )
}

type SchemaStep = (schema: JsonSchema) => JsonSchema

/** 3.0 has no `patternProperties`, so a closed object would refuse the names that they allow. */
const openPatternProperties: SchemaStep = (schema) => {
  if (!schema.patternProperties || schema.additionalProperties !== false) return schema
  const { additionalProperties: _, ...open } = schema
  return open
}

/** A union of null and one type becomes that type with `nullable`. */
const collapseNullable: SchemaStep = (schema) => {
  const { anyOf = [], ...rest } = schema
  const [other, ...others] = anyOf.filter((branch) => !isNullSchema(branch))
  const isOption = anyOf.length === 2 && others.length === 0 && typeof other?.type === 'string'
  return isOption
    ? { ...other, ...rest, nullable: true, ...(other.enum && { enum: [...other.enum, null] }) }
    : schema
}

const replaceConst: SchemaStep = (schema) => {
  if (schema.const === undefined) return schema
  return schema.const === null ? { ...schema, ...nullSchema } : { ...schema, enum: [schema.const] }
}

const replaceExamples: SchemaStep = (schema) =>
  schema.examples?.[0] === undefined ? schema : { ...schema, example: schema.examples[0] }

const replaceContentKeywords: SchemaStep = (schema) => {
  if (schema.contentMediaType !== undefined && schema.type === undefined)
    return { ...schema, type: 'string', format: 'binary' }
  return schema.contentEncoding === 'base64' ? { ...schema, format: 'byte' } : schema
}

const replaceTuples: SchemaStep = (schema) => {
  if (schema.type !== 'array') return schema
  const first = (schema.prefixItems ?? []) as readonly JsonSchema[]
  const others = typeof schema.items === 'object' ? [schema.items] : []
  if (first.length === 0) return { ...schema, items: others[0] ?? {} }
  return { ...schema, items: unionSchema([...first, ...others]) }
}

const replaceTypeLists: SchemaStep = (schema) => {
  const { type, anyOf, oneOf, ...rest } = schema
  if (type === 'null') return { ...rest, ...nullSchema }
  if (Array.isArray(type)) {
    const others = type.filter((name) => name !== 'null')
    const isNullable = others.length < type.length
    if (others.length === 1)
      return { ...schema, type: others[0]!, ...(isNullable && { nullable: true }) }
    return {
      ...rest,
      anyOf: [...others.map((name) => ({ type: name })), ...(isNullable ? [nullSchema] : [])],
    }
  }
  return schema
}

/** Exclusive bounds are booleans in 3.0. */
const replaceExclusiveBounds: SchemaStep = (schema) => ({
  ...schema,
  ...(typeof schema.exclusiveMinimum === 'number' && {
    minimum: schema.exclusiveMinimum,
    exclusiveMinimum: flag,
  }),
  ...(typeof schema.exclusiveMaximum === 'number' && {
    maximum: schema.exclusiveMaximum,
    exclusiveMaximum: flag,
  }),
})

/** `JsonSchema` types exclusive bounds as numbers. */
const flag = true as unknown as number
