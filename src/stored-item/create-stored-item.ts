import { hash, randomUUID } from 'node:crypto'
import type { ModelDescription, ResourceField, ValueField } from '../model/model-description.ts'
import { ResourceWriter, restoreResources } from './item-resources.ts'
import type { StoredItem, StoredValues } from './stored-item.ts'

/**
 * The values as they are stored; members the model does not have are left out.
 * @param salt keeps versions from being guessed; another for each item, unless a test wants the
 * same version twice
 */
export function createStoredItem(
  model: ModelDescription,
  values: StoredValues,
  revision: number,
  salt: string = randomUUID(),
): StoredItem {
  const shown: string[] = [`"id":${JSON.stringify(values.id)}`]
  const hidden: string[] = []
  const writer = model.resourcePaths.length === 0 ? undefined : new ResourceWriter(model, values.id)
  for (const field of model.valueFields) {
    const value = values[field.name]
    if (value === undefined) continue
    const text = field.nestedResources
      ? rawJsonMember(
          field.wireName,
          writer!.writeValue(field.nestedResources, value, field.wireName),
        )
      : jsonMember(field.wireName, value)
    ;(isShown(field) ? shown : hidden).push(text)
  }
  const head = `{${shown.join(',')}`
  const relations = model.ownedRelations.map(
    (field) =>
      `,${jsonMember(field.wireName, values[field.name] ?? (field.kind === 'toOne' ? null : []))}`,
  )
  let body = head + relations.join('')
  if (writer) {
    for (const field of model.resourceFields) {
      const text = rawJsonMember(
        field.wireName,
        writer.writeResource(values[field.name], field.wireName),
      )
      if (isShown(field)) body += `,${text}`
      else hidden.push(text)
    }
    const keys = writer.writeBlobKeys()
    if (keys !== undefined) hidden.push(keys)
  }
  const version = model.hashField ? versionOf(salt + body) : null
  return {
    id: values.id,
    text: version === null ? `${body}}` : `${body},"${model.hashField!.wireName}":"${version}"}`,
    relationsOffset: head.length,
    hiddenText: hidden.length > 0 ? `{${hidden.join(',')}}` : null,
    hash: version,
    revision,
  }
}

/** The members of a stored item by the model's own names, hidden ones too, without the hash. */
export function readStoredValues(model: ModelDescription, item: StoredItem): StoredValues {
  const byWire: Record<string, unknown> = JSON.parse(item.text)
  const hidden: Record<string, unknown> =
    item.hiddenText === null ? {} : JSON.parse(item.hiddenText)
  const values: { id: string; [name: string]: unknown } = { id: item.id }
  if (model.resourcePaths.length > 0) restoreResources(byWire, hidden)
  for (const field of model.valueFields) {
    const value = isShown(field) ? byWire[field.wireName] : hidden[field.wireName]
    if (value !== undefined) values[field.name] = value
  }
  for (const field of model.ownedRelations) values[field.name] = byWire[field.wireName]
  for (const field of model.resourceFields)
    values[field.name] = (isShown(field) ? byWire : hidden)[field.wireName] ?? null
  return values
}

/** Is the member part of the text that clients may see? */
export function isShown(field: ValueField | ResourceField): boolean {
  return field.visibility === 'visible' || field.visibility === 'readOnly'
}

/**
 * Whether both hold the same members: the version then stays, and nothing needs to be written. The
 * same text says something else where its last value has become its first relation.
 */
export function hasSameContent(one: StoredItem, other: StoredItem): boolean {
  return (
    one.relationsOffset === other.relationsOffset &&
    one.hiddenText === other.hiddenText &&
    bodyOf(one) === bodyOf(other)
  )
}

/**
 * The salt is kept nowhere: nobody can test guesses of what they do not see of an item (hidden
 * members, what mappers hide) against its version, and a change of hidden members alone gives
 * another version too.
 */
function versionOf(salted: string): string {
  return hash('sha256', salted, 'base64url')
}

function bodyOf(item: StoredItem): string {
  return item.hash === null ? item.text : item.text.slice(0, -(item.hash.length + 2))
}

function jsonMember(wire: string, value: unknown): string {
  return rawJsonMember(wire, JSON.stringify(value))
}

function rawJsonMember(wire: string, text: string): string {
  return `${JSON.stringify(wire)}:${text}`
}
