import { hash, randomUUID } from 'node:crypto'
import { memoizeBy } from '../cache/memoize-by.ts'
import type { FieldBase } from '../model/field-base.ts'
import type { ModelDescription, ValueField } from '../model/model-description.ts'
import type { ResourceField } from '../model/resource-field.ts'
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
  salt?: string,
): StoredItem {
  return composeStoredItem(model, values, revision, (body) =>
    hash('sha256', (salt ?? randomUUID()) + body, 'base64url'),
  )
}

/** The JSON of the members of an item. */
export interface MemberTexts {
  readonly id: string
  /** In the order of `valueFields`; undefined for those that are absent. */
  readonly values: readonly (string | undefined)[]
  /** In the order of `ownedRelations`. */
  readonly relations: readonly string[]
  /** In the order of `resourceFields`. */
  readonly resources: readonly string[]
  /** What `ResourceWriter` wrote; undefined if there are no resources. */
  readonly blobKeys: string | undefined
}

/**
 * The stored form of an item whose version the store computes.
 * @param versionOf gets the text without its end, and the text of the hidden members
 */
function composeStoredItem(
  model: ModelDescription,
  values: StoredValues,
  revision: number,
  versionOf: (body: string, hiddenText: string | null) => string,
): StoredItem {
  const writer = model.resourcePaths.length === 0 ? undefined : new ResourceWriter(model, values.id)
  const texts: MemberTexts = {
    id: values.id,
    values: model.valueFields.map((field) => {
      const value = values[field.name]
      if (value === undefined) return undefined
      return field.nestedResources
        ? writer!.writeValue(field.nestedResources, value, field.wireName)
        : JSON.stringify(value)
    }),
    relations: model.ownedRelations.map((field) =>
      JSON.stringify(values[field.name] ?? (field.kind === 'toOne' ? null : [])),
    ),
    resources: model.resourceFields.map((field) =>
      writer!.writeResource(values[field.name], field.wireName),
    ),
    blobKeys: writer?.writeBlobKeys(),
  }
  return storedItemOfTexts(model, texts, revision, versionOf)
}

/** The same of the texts of members. */
export function storedItemOfTexts(
  model: ModelDescription,
  { id, values, relations, resources, blobKeys }: MemberTexts,
  revision: number,
  versionOf: (body: string, hiddenText: string | null) => string,
): StoredItem {
  const members = memberPrefixes(model)
  let head = bodyStart(id)
  let hidden = ''
  let index = 0
  for (const json of values) {
    const { prefix, isShown } = members.values[index++]!
    if (json === undefined) continue
    if (isShown) head += prefix + json
    else hidden += prefix + json
  }
  let body = head
  index = 0
  for (const json of relations) body += members.relations[index++]! + json
  index = 0
  for (const json of resources) {
    const { prefix, isShown } = members.resources[index++]!
    if (isShown) body += prefix + json
    else hidden += prefix + json
  }
  if (blobKeys !== undefined) hidden += `,${blobKeys}`
  const hiddenText = hidden === '' ? null : `{${hidden.slice(1)}}`
  const version = model.hashField ? versionOf(body, hiddenText) : null
  return storedItemOfBody(model, body, {
    id,
    relationsOffset: head.length,
    hiddenText,
    hash: version,
    revision,
  })
}

/** How the text of each item begins. */
export function bodyStart(id: string): string {
  return `{"id":${JSON.stringify(id)}`
}

/**
 * The stored form of an item whose text is there, without its end.
 * @param body `bodyStart`, and its members up to the last of its relations and resources
 */
export function storedItemOfBody(
  { hashField }: ModelDescription,
  body: string,
  { id, relationsOffset, hiddenText, hash, revision }: Omit<StoredItem, 'text'>,
): StoredItem {
  const text = hash === null ? `${body}}` : `${body},"${hashField!.wireName}":"${hash}"}`
  return { id, text, relationsOffset, hiddenText, hash, revision }
}

/** What `storedItemOfBody` has made an item of. */
export function bodyWithoutVersion({ hashField }: ModelDescription, item: StoredItem): string {
  return item.hash === null
    ? item.text.slice(0, -'}'.length)
    : item.text.slice(0, -`,"${hashField!.wireName}":"${item.hash}"}`.length)
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

/** The text up to the version, which stands at its end. */
export function bodyOf(item: StoredItem): string {
  return item.hash === null ? item.text : item.text.slice(0, -(item.hash.length + 2))
}

/** The item, which has a hash, with another one. */
export function withHash(item: StoredItem, hash: string): StoredItem {
  return { ...item, text: `${bodyOf(item)}${hash}"}`, hash }
}

/** What stands before the value of each member, and where it belongs. */
const memberPrefixes = memoizeBy(
  ({ valueFields, ownedRelations, resourceFields }: ModelDescription) => ({
    values: valueFields.map(shownPrefix),
    relations: ownedRelations.map(memberPrefix),
    resources: resourceFields.map(shownPrefix),
  }),
)

function shownPrefix(field: ValueField | ResourceField) {
  return { prefix: memberPrefix(field), isShown: isShown(field) }
}

/** What stands before the value of a member: `,"title":`. */
export function memberPrefix({ wireName }: FieldBase): string {
  return `,${JSON.stringify(wireName)}:`
}
