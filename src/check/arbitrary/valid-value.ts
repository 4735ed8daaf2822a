import fc from 'fast-check'
import { followed, isObject } from '../node-at.ts'
import { stringValue } from './string-value.ts'

type Schema = Readonly<Record<string, unknown>>
type Values = fc.Arbitrary<unknown>

/** What is known of the service that a document cannot say. */
export interface Known {
  readonly document: unknown
  /** Identifiers of items that are there, by the plural of their model; undefined where none are. */
  ids(plural: string): readonly [string, ...string[]] | undefined
  /** Of others, which may be deleted without anything else that is asked for becoming wrong. */
  spare(plural: string): readonly [string, ...string[]] | undefined
}

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

/** Stands in values for the id that the path of the request names. */
export const idInPath = '{id in path}'

/** Stands in values for an identifier where there is no item to name: whoever sends it cannot expect to be heard. */
export const noSuchItem = '{no such item}'

/** JSON of every kind, small. */
const anyJson: Values = fc.jsonValue({ maxDepth: 2, depthSize: 'small' })

/** An identifier that leads to something says so: with a word of ours, or as the identifier objects of JSON:API do. */
function relatedIds(known: Known, schema: Schema): readonly [string, ...string[]] | undefined {
  const { 'x-resourcery-relates-to': kept, 'x-resourcery-removes': removed } = schema
  if (typeof removed === 'string') return known.spare(removed)
  return typeof kept === 'string' ? known.ids(kept) : undefined
}

/** Is an identifier asked for of a collection that is empty? */
function leadsNowhere(known: Known, schema: unknown): boolean {
  const plural = isObject(schema) ? schema['x-resourcery-relates-to'] : undefined
  return typeof plural === 'string' && known.ids(plural) === undefined
}

/** Does a required member only make sense with what stands elsewhere? Such values cannot be made up here. */
function needsOthers({ properties, required }: Schema): boolean {
  if (!isObject(properties) || !Array.isArray(required)) return false
  return required.some((name) => dependsOnOthers(properties[name]))
}

/** Of what fits such a schema, another part of the request says what is taken. */
export function dependsOnOthers(schema: unknown): boolean {
  return isObject(schema) && 'x-resourcery-depends-on' in schema
}

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
      return integers(schema)
    case 'number':
      return numbers(schema)
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

function integers(schema: Schema): Values {
  const least = numberIn(schema, 'minimum') ?? plusOne(numberIn(schema, 'exclusiveMinimum')) ?? Number.MIN_SAFE_INTEGER
  const most = numberIn(schema, 'maximum') ?? minusOne(numberIn(schema, 'exclusiveMaximum')) ?? Number.MAX_SAFE_INTEGER
  const step = numberIn(schema, 'multipleOf') ?? 1
  return fc.integer({ min: Math.ceil(least / step), max: Math.floor(most / step) }).map((value) => value * step)
}

function numbers(schema: Schema): Values {
  const step = numberIn(schema, 'multipleOf')
  if (step !== undefined) return fc.integer({ min: 0, max: 1_000 }).map((value) => value * step)
  const min = numberIn(schema, 'exclusiveMinimum') ?? numberIn(schema, 'minimum') ?? -1e15
  const max = numberIn(schema, 'exclusiveMaximum') ?? numberIn(schema, 'maximum') ?? 1e15
  return fc.double({
    min,
    max: Math.max(min, max),
    minExcluded: schema.exclusiveMinimum !== undefined,
    maxExcluded: schema.exclusiveMaximum !== undefined,
    noNaN: true,
  })
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

/** `{ "type": "books", "id": … }`: the id of one that is there. */
function identifierIn(known: Known, properties: Schema, name: string, property: unknown): Values | undefined {
  const isTold = isObject(property) && Object.keys(property).some((word) => word.startsWith('x-'))
  if (name !== 'id' || isTold || Object.keys(properties).some((one) => one === 'attributes')) return undefined
  const { type } = properties
  const ids = isObject(type) && typeof type.const === 'string' ? known.ids(type.const) : undefined
  return ids && fc.constantFrom(...ids)
}

function isReadOnly(known: Known, schema: unknown): boolean {
  const { value } = followed(known.document, { value: schema, pointer: '' })
  return isObject(value) && value.readOnly === true
}

/** The parts of an intersection as one. */
function whole(known: Known, schema: Schema): Schema {
  if (!Array.isArray(schema.allOf)) return schema
  return schema.allOf.reduce<Schema>((all, part) => merged(known, all, part), without(schema, 'allOf'))
}

function merged(known: Known, base: Schema, part: unknown): Schema {
  const { value } = followed(known.document, { value: part, pointer: '' })
  if (!isObject(value)) return base
  return {
    ...base,
    ...value,
    ...joined('properties', base, value, (one, other) => ({ ...(one as Schema), ...(other as Schema) })),
    ...joined('required', base, value, (one, other) => [
      ...new Set([...((one ?? []) as readonly string[]), ...((other ?? []) as readonly string[])]),
    ]),
  }
}

function joined(word: string, one: Schema, other: Schema, join: (a: unknown, b: unknown) => unknown): Schema {
  return one[word] === undefined && other[word] === undefined ? {} : { [word]: join(one[word], other[word]) }
}

function without(schema: Schema, word: string): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== word))
}

function numberIn(schema: Schema, word: string): number | undefined {
  const value = schema[word]
  return typeof value === 'number' ? value : undefined
}

function plusOne(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value + 1
}

function minusOne(value: number | undefined): number | undefined {
  return value === undefined ? undefined : value - 1
}
