import type { JsonSchema } from './json-schema.ts'

const nullSchema: JsonSchema = Object.freeze({ type: 'null' })

/**
 * Allows null in addition.
 *
 * ```ts
 * nullable({ type: 'string' }) // { type: ['string', 'null'] }
 * ```
 */
export function nullable(schema: JsonSchema): JsonSchema {
  if (allowsNull(schema)) return schema
  if (typeof schema.type === 'string' && schema.const === undefined) {
    return {
      ...schema,
      type: [schema.type, 'null'],
      ...(schema.enum && { enum: [...schema.enum, null] }),
    }
  }
  if (Array.isArray(schema.type) && schema.const === undefined) {
    return {
      ...schema,
      type: [...schema.type, 'null'],
      ...(schema.enum && { enum: [...schema.enum, null] }),
    }
  }
  if (schema.anyOf) return { ...schema, anyOf: [...schema.anyOf, nullSchema] }
  const { description, examples, readOnly, writeOnly, deprecated, ...rest } = schema
  const annotations = { description, examples, readOnly, writeOnly, deprecated }
  return { ...withoutUndefined(annotations), anyOf: [rest, nullSchema] }
}

export function withoutNull(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema.type)) {
    const types = schema.type.filter((type) => type !== 'null')
    return {
      ...schema,
      type: types.length === 1 ? types[0]! : types,
      ...(schema.enum && { enum: schema.enum.filter((value) => value !== null) }),
    }
  }
  const keyword = schema.anyOf ? 'anyOf' : 'oneOf'
  const alternatives = schema[keyword]?.filter(({ type }) => type !== 'null')
  if (!alternatives) return schema
  const { [keyword]: _, ...rest } = schema
  return alternatives.length === 1
    ? { ...alternatives[0]!, ...rest }
    : { ...rest, [keyword]: alternatives }
}

function allowsNull(schema: JsonSchema): boolean {
  if (schema.component || schema.$ref !== undefined || schema.allOf || schema.not) return false
  if (schema.const !== undefined) return schema.const === null
  if (schema.enum) return schema.enum.includes(null)
  if (schema.type !== undefined) return [schema.type].flat().includes('null')
  const alternatives = schema.anyOf ?? schema.oneOf
  return alternatives === undefined || alternatives.some(allowsNull)
}

function withoutUndefined(members: Readonly<Record<string, unknown>>): JsonSchema {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))
}
