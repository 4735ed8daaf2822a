import fc from 'fast-check'
import { followReferences, isRecord } from '../document-node.ts'
import type { SchemaObject } from './merge-schemas.ts'
import type { ServiceState } from './service-state.ts'

/** Placeholder for the id in the path of the request. */
export const idInPath = '{id in path}'

/** Placeholder for an id in an empty collection; such a request is not expected to succeed. */
export const noSuchItem = '{no such item}'

/** The ids that fit a schema with an `x-resourcery` keyword for identifiers. */
export function relatedIds(
  state: ServiceState,
  schema: SchemaObject,
): readonly [string, ...string[]] | undefined {
  const { 'x-resourcery-relates-to': related, 'x-resourcery-removes': removed } = schema
  if (typeof removed === 'string') return state.deletableIds(removed)
  return typeof related === 'string' ? state.ids(related) : undefined
}

/** Does the schema ask for an id of an empty collection? */
export function refersToEmptyCollection(state: ServiceState, schema: unknown): boolean {
  const plural = isRecord(schema) ? schema['x-resourcery-relates-to'] : undefined
  return typeof plural === 'string' && state.ids(plural) === undefined
}

/** Marks a relation that a request must have if its sender can see the related item. */
export const requiredIfVisibleKeyword = 'x-resourcery-required-if-visible'

/**
 * Does the schema ask for a related item that the sender can see? Which item that is depends on the
 * stored item, but it is one of those that the sender sees, if there are any.
 */
export function refersToVisibleItem(state: ServiceState, schema: SchemaObject): boolean {
  const plural = schema[requiredIfVisibleKeyword]
  return typeof plural === 'string' && state.ids(plural) !== undefined
}

/** Does the schema, or that of a nested member, ask for a related item that the sender can see? */
export function holdsVisibleItem(state: ServiceState, schema: unknown, levels = 3): boolean {
  const { value } = followReferences(state.document, { value: schema, pointer: '' })
  if (!isRecord(value)) return false
  if (refersToVisibleItem(state, value)) return true
  const members = isRecord(value.properties) && levels > 0 ? Object.values(value.properties) : []
  return members.some((member) => holdsVisibleItem(state, member, levels - 1))
}

/** Does a required member depend on another part of the request? It cannot be generated here. */
export function requiresDependentMember({ properties, required }: SchemaObject): boolean {
  if (!isRecord(properties) || !Array.isArray(required)) return false
  return required.some((name) => isDependentSchema(properties[name]))
}

/** Does another part of the request restrict the values further? */
export function isDependentSchema(schema: unknown): boolean {
  return isRecord(schema) && 'x-resourcery-depends-on' in schema
}

/** The id of an existing item, in `{ "type": "books", "id": … }`. */
export function identifierIn(
  state: ServiceState,
  properties: SchemaObject,
  name: string,
  property: unknown,
): fc.Arbitrary<string> | undefined {
  const hasExtension =
    isRecord(property) && Object.keys(property).some((keyword) => keyword.startsWith('x-'))
  if (name !== 'id' || hasExtension || Object.keys(properties).includes('attributes'))
    return undefined
  const { type } = properties
  const ids = isRecord(type) && typeof type.const === 'string' ? state.ids(type.const) : undefined
  return ids && fc.constantFrom(...ids)
}
