import fc from 'fast-check'
import { isRecord } from '../document-node.ts'
import type { SchemaObject } from './merge-schemas.ts'
import type { ServiceState } from './service-state.ts'

/** Stands in values for the id that the path of the request names. */
export const idInPath = '{id in path}'

/**
 * Stands in values for an identifier where there is no item to name: whoever sends it cannot expect
 * to be heard.
 */
export const noSuchItem = '{no such item}'

/**
 * An identifier that leads to something says so: with a word of ours, or as the identifier objects
 * of JSON:API do.
 */
export function relatedIds(
  known: ServiceState,
  schema: SchemaObject,
): readonly [string, ...string[]] | undefined {
  const { 'x-resourcery-relates-to': kept, 'x-resourcery-removes': removed } = schema
  if (typeof removed === 'string') return known.deletableIds(removed)
  return typeof kept === 'string' ? known.ids(kept) : undefined
}

/** Is an identifier asked for of a collection that is empty? */
export function refersToEmptyCollection(known: ServiceState, schema: unknown): boolean {
  const plural = isRecord(schema) ? schema['x-resourcery-relates-to'] : undefined
  return typeof plural === 'string' && known.ids(plural) === undefined
}

/**
 * Does a required member only make sense with what stands elsewhere? Such values cannot be made up
 * here.
 */
export function requiresDependentMember({ properties, required }: SchemaObject): boolean {
  if (!isRecord(properties) || !Array.isArray(required)) return false
  return required.some((name) => isDependentSchema(properties[name]))
}

/** Of what fits such a schema, another part of the request says what is taken. */
export function isDependentSchema(schema: unknown): boolean {
  return isRecord(schema) && 'x-resourcery-depends-on' in schema
}

/** `{ "type": "books", "id": … }`: the id of one that is there. */
export function identifierIn(
  known: ServiceState,
  properties: SchemaObject,
  name: string,
  property: unknown,
): fc.Arbitrary<string> | undefined {
  const isTold = isRecord(property) && Object.keys(property).some((word) => word.startsWith('x-'))
  if (name !== 'id' || isTold || Object.keys(properties).some((one) => one === 'attributes'))
    return undefined
  const { type } = properties
  const ids = isRecord(type) && typeof type.const === 'string' ? known.ids(type.const) : undefined
  return ids && fc.constantFrom(...ids)
}
