import type { JsonSchema } from '../schema/json-schema.ts'
import { mapSubschemas } from '../schema/map-subschemas.ts'
import { unionSchema } from '../schema/union-schema.ts'

/**
 * The keywords that a Schema Object of OpenAPI 3.0 may have; JSON Schema has grown others since.
 */
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

/** The one way to write null alone. */
const nullSchema: JsonSchema = Object.freeze({ type: 'object', nullable: true, enum: [null] })

function isNullSchema({ nullable, enum: values }: JsonSchema): boolean {
  return nullable === true && values?.length === 1 && values[0] === null
}

/**
 * A schema of JSON Schema 2020-12 as OpenAPI 3.0 writes it, references resolved before. What it
 * cannot say is left out, so that it allows more rather than less.
 */
export function toSchema30(schema: JsonSchema): JsonSchema {
  const { $ref, ...siblings } = schema
  if ($ref !== undefined)
    return Object.keys(siblings).length === 0
      ? schema
      : { ...toSchema30(siblings), allOf: [{ $ref }] }
  let written = mapSubschemas(schema, toSchema30)
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
    written = step(written)
  return Object.fromEntries(
    Object.entries(written).filter(
      ([keyword]) => supportedKeywords.has(keyword) || keyword.startsWith('x-'),
    ),
  )
}

type SchemaStep = (schema: JsonSchema) => JsonSchema

/** Without patterns for names, what they allow would be refused. */
const openPatternProperties: SchemaStep = (schema) => {
  if (!schema.patternProperties || schema.additionalProperties !== false) return schema
  const { additionalProperties: _, ...open } = schema
  return open
}

/** Null beside one other kind of value is said of that. */
const collapseNullable: SchemaStep = (schema) => {
  const { anyOf = [], ...rest } = schema
  const [other, ...others] = anyOf.filter((one) => !isNullSchema(one))
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
    const others = type.filter((one) => one !== 'null')
    const isNullable = others.length < type.length
    if (others.length === 1)
      return { ...schema, type: others[0]!, ...(isNullable && { nullable: true }) }
    return {
      ...rest,
      anyOf: [...others.map((one) => ({ type: one })), ...(isNullable ? [nullSchema] : [])],
    }
  }
  return schema
}

/** Limits that are not reached were flags once. */
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

/** A number in the type of today's schemas. */
const flag = true as unknown as number
