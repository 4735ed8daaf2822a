import { hash, randomUUID } from 'node:crypto'
import type { ModelDescription, ResourceField, ValueField } from '../model/description.ts'
import { ResourceWriter, restoreResources } from './item-resources.ts'
import type { StoredItem, StoredValues } from './stored-item.ts'

/**
 * The values as they are stored; members the model does not have are left out.
 * @param salt keeps versions from being guessed; another for each item, unless a test wants the same version twice
 */
export function storedItem(
  model: ModelDescription,
  values: StoredValues,
  revision: number,
  salt: string = randomUUID(),
): StoredItem {
  const shown: string[] = [`"id":${JSON.stringify(values.id)}`]
  const hidden: string[] = []
  const writer = model.slots.length === 0 ? undefined : new ResourceWriter(model, values.id)
  for (const field of model.values) {
    const value = values[field.name]
    if (value === undefined) continue
    const text = field.resources
      ? named(field.wire, writer!.value(field.resources, value, field.wire))
      : member(field.wire, value)
    ;(isShown(field) ? shown : hidden).push(text)
  }
  const head = `{${shown.join(',')}`
  const relations = model.owned.map(
    (field) => `,${member(field.wire, values[field.name] ?? (field.kind === 'toOne' ? null : []))}`,
  )
  let body = head + relations.join('')
  if (writer) {
    for (const field of model.resources) {
      const text = named(field.wire, writer.resource(values[field.name], field.wire))
      if (isShown(field)) body += `,${text}`
      else hidden.push(text)
    }
    const keys = writer.keys()
    if (keys !== undefined) hidden.push(keys)
  }
  const version = model.hash ? versionOf(salt + body) : null
  return {
    id: values.id,
    text: version === null ? `${body}}` : `${body},"${model.hash!.wire}":"${version}"}`,
    split: head.length,
    hidden: hidden.length > 0 ? `{${hidden.join(',')}}` : null,
    hash: version,
    revision,
  }
}

/** The members of a stored item by the model's own names, hidden ones too, without the hash. */
export function storedValues(model: ModelDescription, item: StoredItem): StoredValues {
  const byWire: Record<string, unknown> = JSON.parse(item.text)
  const hidden: Record<string, unknown> = item.hidden === null ? {} : JSON.parse(item.hidden)
  const values: { id: string; [name: string]: unknown } = { id: item.id }
  if (model.slots.length > 0) restoreResources(byWire, hidden)
  for (const field of model.values) {
    const value = isShown(field) ? byWire[field.wire] : hidden[field.wire]
    if (value !== undefined) values[field.name] = value
  }
  for (const field of model.owned) values[field.name] = byWire[field.wire]
  for (const field of model.resources) values[field.name] = (isShown(field) ? byWire : hidden)[field.wire] ?? null
  return values
}

/** Is the member part of the text that clients may see? */
export function isShown(field: ValueField | ResourceField): boolean {
  return field.visibility === 'visible' || field.visibility === 'readOnly'
}

/**
 * Whether both hold the same members: the version then stays, and nothing needs to be written. The same text says something else where its last
 * value has become its first relation.
 */
export function sameContent(one: StoredItem, other: StoredItem): boolean {
  return one.split === other.split && one.hidden === other.hidden && bodyOf(one) === bodyOf(other)
}

/**
 * The salt is kept nowhere: nobody can test guesses of what they do not see of an item (hidden members, what mappers hide) against its
 * version, and a change of hidden members alone gives another version too.
 */
function versionOf(salted: string): string {
  return hash('sha256', salted, 'base64url')
}

function bodyOf(item: StoredItem): string {
  return item.hash === null ? item.text : item.text.slice(0, -(item.hash.length + 2))
}

function member(wire: string, value: unknown): string {
  return named(wire, JSON.stringify(value))
}

function named(wire: string, text: string): string {
  return `${JSON.stringify(wire)}:${text}`
}
