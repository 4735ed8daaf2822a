import { hash, randomUUID } from 'node:crypto'
import type { ModelDescription, ValueField } from '../model/description.ts'
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
  for (const field of model.values) {
    const value = values[field.name]
    if (value !== undefined) (isShown(field) ? shown : hidden).push(member(field.wire, value))
  }
  const head = `{${shown.join(',')}`
  const relations = model.owned.map(
    (field) => `,${member(field.wire, values[field.name] ?? (field.kind === 'toOne' ? null : []))}`,
  )
  const body = head + relations.join('')
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
  for (const field of model.values) {
    const value = isShown(field) ? byWire[field.wire] : hidden[field.wire]
    if (value !== undefined) values[field.name] = value
  }
  for (const field of model.owned) values[field.name] = byWire[field.wire]
  return values
}

/** Is the member part of the text that clients may see? */
export function isShown(field: ValueField): boolean {
  return field.visibility === 'visible' || field.visibility === 'readOnly'
}

/** Whether both hold the same members: the version then stays, and nothing needs to be written. */
export function sameContent(one: StoredItem, other: StoredItem): boolean {
  return one.hidden === other.hidden && bodyOf(one) === bodyOf(other)
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
  return `${JSON.stringify(wire)}:${JSON.stringify(value)}`
}
