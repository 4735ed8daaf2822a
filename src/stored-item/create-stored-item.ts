import { hash, randomUUID } from 'node:crypto'
import { memoizeBy } from '../cache/memoize-by.ts'
import type {
  FieldBase,
  ModelDescription,
  ResourceField,
  ValueField,
} from '../model/model-description.ts'
import { ResourceWriter, restoreResources } from './item-resources.ts'
import type { StoredItem, StoredValues } from './stored-item.ts'

/**
 * The stored form of an item. Members that the model does not have are left out.
 *
 * ```ts
 * const item = createStoredItem(book, { id: 'dune', title: 'Dune', author: 'herbert' }, 1)
 * ```
 *
 * @param salt goes into the version and is not stored. So nobody can verify a guess of hidden
 * members against the version, and a change of hidden members alone changes it too. It is random
 * unless a test needs the same version twice.
 * @throws TypeError if a file field holds anything but null or a resource that was read from an
 * item
 */
export function createStoredItem(
  model: ModelDescription,
  values: StoredValues,
  revision: number,
  salt: string = randomUUID(),
): StoredItem {
  return composeStoredItem(model, values, revision, (body) =>
    hash('sha256', salt + body, 'base64url'),
  )
}

/**
 * The stored form of an item whose version the store computes.
 * @param versionOf gets the text without its end, and the text of the hidden members
 */
export function composeStoredItem(
  model: ModelDescription,
  values: StoredValues,
  revision: number,
  versionOf: (body: string, hiddenText: string | null) => string,
): StoredItem {
  const prefixes = memberPrefixes(model)
  let head = `{"id":${JSON.stringify(values.id)}`
  let hidden = ''
  const writer = model.resourcePaths.length === 0 ? undefined : new ResourceWriter(model, values.id)
  for (const field of model.valueFields) {
    const value = values[field.name]
    if (value === undefined) continue
    const json = field.nestedResources
      ? writer!.writeValue(field.nestedResources, value, field.wireName)
      : JSON.stringify(value)
    const member = prefixes.get(field)! + json
    if (isShown(field)) head += member
    else hidden += member
  }
  let body = head
  for (const field of model.ownedRelations) {
    const linkage = values[field.name] ?? (field.kind === 'toOne' ? null : [])
    body += prefixes.get(field)! + JSON.stringify(linkage)
  }
  if (writer) {
    for (const field of model.resourceFields) {
      const json = writer.writeResource(values[field.name], field.wireName)
      const member = prefixes.get(field)! + json
      if (isShown(field)) body += member
      else hidden += member
    }
    const blobKeys = writer.writeBlobKeys()
    if (blobKeys !== undefined) hidden += `,${blobKeys}`
  }
  const hiddenText = hidden === '' ? null : `{${hidden.slice(1)}}`
  const version = model.hashField ? versionOf(body, hiddenText) : null
  return {
    id: values.id,
    text: version === null ? `${body}}` : `${body},"${model.hashField!.wireName}":"${version}"}`,
    relationsOffset: head.length,
    hiddenText,
    hash: version,
    revision,
  }
}

/**
 * The values of a stored item, without the hash.
 *
 * ```ts
 * readStoredValues(book, item)['title'] // 'Dune'
 * ```
 */
export function readStoredValues(model: ModelDescription, item: StoredItem): StoredValues {
  const shown: Record<string, unknown> = JSON.parse(item.text)
  const hidden: Record<string, unknown> =
    item.hiddenText === null ? {} : JSON.parse(item.hiddenText)
  const values: { id: string; [name: string]: unknown } = { id: item.id }
  if (model.resourcePaths.length > 0) restoreResources(shown, hidden)
  for (const field of model.valueFields) {
    const value = (isShown(field) ? shown : hidden)[field.wireName]
    if (value !== undefined) values[field.name] = value
  }
  for (const field of model.ownedRelations) values[field.name] = shown[field.wireName]
  for (const field of model.resourceFields)
    values[field.name] = (isShown(field) ? shown : hidden)[field.wireName] ?? null
  return values
}

/**
 * Does the text, which clients see, hold the field?
 *
 * ```ts
 * const columns = book.valueFields.filter(isShown)
 * ```
 */
export function isShown(field: ValueField | ResourceField): boolean {
  return field.visibility === 'visible' || field.visibility === 'readOnly'
}

/**
 * Do both items hold the same members? Then nothing has to be written, and the version stays. The
 * offset counts too: the same text means something else once a value field has become a relation.
 *
 * ```ts
 * const changed = createStoredItem(book, { ...readStoredValues(book, item), price: 12 }, 2)
 * hasSameContent(item, changed) // false
 * ```
 */
export function hasSameContent(one: StoredItem, other: StoredItem): boolean {
  return (
    one.relationsOffset === other.relationsOffset &&
    one.hiddenText === other.hiddenText &&
    bodyOf(one) === bodyOf(other)
  )
}

function bodyOf(item: StoredItem): string {
  return item.hash === null ? item.text : item.text.slice(0, -(item.hash.length + 2))
}

/** What stands before the value of each member. */
const memberPrefixes = memoizeBy(
  (model: ModelDescription): ReadonlyMap<FieldBase, string> =>
    new Map(
      [...model.valueFields, ...model.ownedRelations, ...model.resourceFields].map((field) => [
        field,
        `,${JSON.stringify(field.wireName)}:`,
      ]),
    ),
)
