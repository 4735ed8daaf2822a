import fc from 'fast-check'
import { followReferences, isRecord } from '../document-node.ts'
import { leastValueOf, leastValues } from '../least-values.ts'
import {
  holdsVisibleItem,
  identifierIn,
  idInPath,
  isDependentSchema,
  noSuchItem,
  refersToEmptyCollection,
  refersToVisibleItem,
  relatedIds,
  requiredIfVisibleKeyword,
  requiresDependentMember,
} from './identifier-value.ts'
import {
  mergeAllOf,
  mergeSchemas,
  omitKeyword,
  type SchemaObject,
  withoutNull,
} from './merge-schemas.ts'
import { integerValue, numberKeyword, numberValue } from './number-value.ts'
import type { ServiceState } from './service-state.ts'
import { stringValue } from './string-value.ts'

type Values = fc.Arbitrary<unknown>

/** The maximum depth of generated values. */
const maxDepth = 6

/**
 * Values that fit a schema. A few do not fit, because keywords can restrict each other, so the
 * caller validates. Read-only members are left out.
 */
export function validValue(state: ServiceState, schema: unknown, depth = 0): Values {
  if (schema === undefined || schema === true) return anyJson
  if (!isRecord(schema)) return fc.constant(null)
  if (typeof schema.$ref === 'string')
    return validValue(
      state,
      followReferences(state.document, { value: schema, pointer: '' }).value,
      depth,
    )
  if ('const' in schema) return fc.constant(schema.const)
  if (Array.isArray(schema.enum)) return fc.constantFrom(...schema.enum)
  if (schema['x-resourcery-depends-on'] === 'id') return fc.constant(idInPath)
  // Each response would come later.
  if (schema['x-resourcery-waits'] === true) return fc.constant(schema.default ?? 0)
  const names = schema['x-resourcery-names']
  if (Array.isArray(names))
    return fc.subarray(names, { minLength: 1 }).map((some) => some.join(','))
  const related = relatedIds(state, schema)
  if (related) return fc.constantFrom(...related)
  if (refersToEmptyCollection(state, schema))
    return fc.constant(typesOf(schema).includes('null') ? null : noSuchItem)
  if (refersToVisibleItem(state, schema))
    return validValue(state, withoutNull(omitKeyword(schema, requiredIfVisibleKeyword)), depth)
  for (const keyword of ['oneOf', 'anyOf'] as const) {
    const branches = withoutDependent(schema[keyword])
    if (!Array.isArray(branches)) continue
    const base = omitKeyword(schema, keyword)
    const schemas = branches.map((branch) => mergeAllOf(state, mergeSchemas(state, base, branch)))
    const independent = schemas.filter((branch) => !requiresDependentMember(branch))
    const usable = independent.length > 0 ? independent : schemas
    // Other branches of a recursive schema would never end.
    const ending = depth < maxDepth ? usable : [smallestOf(state, usable)]
    return fc.oneof(...ending.map((branch) => validValue(state, branch, depth)))
  }
  if (Array.isArray(schema.allOf)) return validValue(state, mergeAllOf(state, schema), depth)
  return fc.oneof(...typesOf(schema).map((type) => valueOfType(state, type, schema, depth)))
}

/** Small JSON values of every type. */
const anyJson: Values = fc.jsonValue({ maxDepth: 2, depthSize: 'small' })

function typesOf(schema: SchemaObject): readonly string[] {
  const { type } = schema
  if (typeof type === 'string') return [type]
  if (Array.isArray(type)) return type
  if (schema.properties || schema.required || schema.additionalProperties !== undefined)
    return ['object']
  if (schema.items) return ['array']
  return schema.pattern || schema.format ? ['string'] : ['any']
}

function valueOfType(
  state: ServiceState,
  type: string,
  schema: SchemaObject,
  depth: number,
): Values {
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
      return arrayValue(state, schema, depth)
    case 'object':
      return objectValue(state, schema, depth)
    default:
      return anyJson
  }
}

function arrayValue(state: ServiceState, schema: SchemaObject, depth: number): Values {
  const minLength = numberKeyword(schema, 'minItems') ?? 0
  const maxLength = Math.min(numberKeyword(schema, 'maxItems') ?? 4, minLength + 4)
  if (minLength === 0 && (depth >= maxDepth || refersToEmptyCollection(state, schema.items)))
    return fc.constant([])
  const item = validValue(state, schema.items, depth + 1)
  return schema.uniqueItems === true
    ? fc.uniqueArray(item, { minLength, maxLength, selector: (value) => JSON.stringify(value) })
    : fc.array(item, { minLength, maxLength })
}

function objectValue(state: ServiceState, schema: SchemaObject, depth: number): Values {
  const required = new Set(
    Array.isArray(schema.required) ? (schema.required as readonly string[]) : [],
  )
  const properties = isRecord(schema.properties) ? schema.properties : {}
  const model: Record<string, Values> = {}
  for (const [name, property] of Object.entries(properties)) {
    if ((isReadOnly(state, property) || isDependentSchema(property)) && !required.has(name))
      continue
    if (depth >= maxDepth && !required.has(name)) continue
    if (holdsVisibleItem(state, property)) required.add(name)
    model[name] =
      identifierIn(state, properties, name, property) ?? validValue(state, property, depth + 1)
  }
  for (const name of required) model[name] ??= anyJson
  const fixed = fc.record(model, { requiredKeys: [...required] })
  const { additionalProperties: others } = schema
  if (!isRecord(others)) return fixed
  const extra = fc.dictionary(
    fc.stringMatching(/^[a-z]{1,8}$/),
    validValue(state, others, depth + 1),
    { maxKeys: 3 },
  )
  return fc.tuple(extra, fixed).map(([some, rest]) => ({ ...some, ...rest }))
}

function smallestOf({ document }: ServiceState, schemas: readonly SchemaObject[]): SchemaObject {
  const sizeOf = (value: SchemaObject) => {
    const node = { value, pointer: '' }
    return leastValueOf(leastValues(document, node), node).depth
  }
  return schemas.reduce((one, other) => (sizeOf(other) < sizeOf(one) ? other : one))
}

function isReadOnly(state: ServiceState, schema: unknown): boolean {
  const { value } = followReferences(state.document, { value: schema, pointer: '' })
  return isRecord(value) && value.readOnly === true
}

/** Without values that are allowed beside another parameter only, such as `-relevance`. */
function withoutDependent(branches: unknown): unknown {
  return Array.isArray(branches)
    ? branches.filter((branch) => !isRecord(branch) || branch[dependsOn] !== 'search')
    : branches
}

const dependsOn = 'x-resourcery-depends-on'
