import fc from 'fast-check'
import { followed, isObject } from '../node-at.ts'
import {
  dependsOnOthers,
  identifierIn,
  idInPath,
  leadsNowhere,
  needsOthers,
  noSuchItem,
  relatedIds,
} from './identifier-value.ts'
import type { Known } from './known.ts'
import { integerValue, numberIn, numberValue } from './number-value.ts'
import { stringValue } from './string-value.ts'
import { merged, type Schema, whole, without } from './whole-schema.ts'

type Values = fc.Arbitrary<unknown>

/** How deep generated values nest, whatever the schema would allow. */
const deepest = 6

/**
 * Values that a schema describes. Nearly all fit: what keywords say together can be narrower than what is made here, so the caller
 * validates. Members that only answers have are left out.
 */
export function validValue(known: Known, schema: unknown, depth = 0): Values {
  if (schema === undefined || schema === true) return anyJson
  if (!isObject(schema)) return fc.constant(null)
  if (typeof schema.$ref === 'string')
    return validValue(known, followed(known.document, { value: schema, pointer: '' }).value, depth)
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  if (schema['x-resourcery-depends-on'] === 'id') return fc.constant(idInPath)
  const names = schema['x-resourcery-names']
  if (Array.isArray(names)) return fc.subarray(names, { minLength: 1 }).map((some) => some.join(','))
  const related = relatedIds(known, schema)
  if (related) return fc.constantFrom(...related)
  if (leadsNowhere(known, schema)) return fc.constant(typesOf(schema).includes('null') ? null : noSuchItem)
  for (const word of ['oneOf', 'anyOf'] as const) {
    const branches = schema[word]
    if (!Array.isArray(branches)) continue
    const base = without(schema, word)
    const values = branches.map((branch) => whole(known, merged(known, base, branch)))
    const free = values.filter((value) => !needsOthers(value))
    return fc.oneof(...(free.length > 0 ? free : values).map((value) => validValue(known, value, depth)))
  }
  if (Array.isArray(schema.allOf)) return validValue(known, whole(known, schema), depth)
  return fc.oneof(...typesOf(schema).map((type) => ofType(known, type, schema, depth)))
}

/** JSON of every kind, small. */
const anyJson: Values = fc.jsonValue({ maxDepth: 2, depthSize: 'small' })

function typesOf(schema: Schema): readonly string[] {
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type
  if (schema.properties || schema.required || schema.additionalProperties !== undefined) return ['object']
  if (schema.items) return ['array']
  return schema.pattern || schema.format ? ['string'] : ['any']
}

function ofType(known: Known, type: string, schema: Schema, depth: number): Values {
  switch (type) {
    case 'null':
      return fc.constant(null)
    case 'boolean':
      return fc.boolean()
    case 'integer':
      return integerValue(schema)
    case 'number':
      return numberValue(schema)
    case 'string':
      return stringValue(schema)
    case 'array':
      return arrays(known, schema, depth)
    case 'object':
      return objects(known, schema, depth)
    default:
      return anyJson
  }
}

function arrays(known: Known, schema: Schema, depth: number): Values {
  const minLength = numberIn(schema, 'minItems') ?? 0
  const maxLength = Math.min(numberIn(schema, 'maxItems') ?? 4, minLength + 4)
  if (minLength === 0 && (depth >= deepest || leadsNowhere(known, schema.items))) return fc.constant([])
  const item = validValue(known, schema.items, depth + 1)
  return schema.uniqueItems === true
    ? fc.uniqueArray(item, { minLength, maxLength, selector: (value) => JSON.stringify(value) })
    : fc.array(item, { minLength, maxLength })
}

function objects(known: Known, schema: Schema, depth: number): Values {
  const required = new Set(Array.isArray(schema.required) ? (schema.required as readonly string[]) : [])
  const properties = isObject(schema.properties) ? schema.properties : {}
  const model: Record<string, Values> = {}
  for (const [name, property] of Object.entries(properties)) {
    if ((isReadOnly(known, property) || dependsOnOthers(property)) && !required.has(name)) continue
    if (depth >= deepest && !required.has(name)) continue
    model[name] = identifierIn(known, properties, name, property) ?? validValue(known, property, depth + 1)
  }
  for (const name of required) model[name] ??= anyJson
  const fixed = fc.record(model, { requiredKeys: [...required] })
  const { additionalProperties: others } = schema
  if (!isObject(others)) return fixed
  const extra = fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), validValue(known, others, depth + 1), { maxKeys: 3 })
  return fc.tuple(extra, fixed).map(([some, rest]) => ({ ...some, ...rest }))
}

function isReadOnly(known: Known, schema: unknown): boolean {
  const { value } = followed(known.document, { value: schema, pointer: '' })
  return isObject(value) && value.readOnly === true
}
