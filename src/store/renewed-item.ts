import type { ModelDescription, OwnedRelation, ValueField } from '../model/description.ts'
import { StoredResource } from '../model/stored-resource.ts'
import { type Schema, validate } from '../schema/standard-schema.ts'
import { keysMember, ResourceWriter, restoreResources } from './item-resources.ts'
import { isShown, sameContent, storedItem } from './item-text.ts'
import type { StoredItem } from './stored-item.ts'

type Members = Record<string, unknown>

/**
 * An item that an older form of its model wrote, as the model writes it now: what became hidden is no longer in the text that clients see, what
 * is new is there with its default, as null or empty. Members that the model has no longer are put by among the hidden ones, where one that
 * declares them again finds them. The item itself where all is as it was.
 */
export async function renewedItem(model: ModelDescription, item: StoredItem): Promise<StoredItem> {
  const shown: Members = JSON.parse(item.text)
  const hidden: Members = item.hidden === null ? {} : JSON.parse(item.hidden)
  restoreResources(shown, hidden)
  const { id, hash: _, [keysMember]: keys, ...left } = { ...hidden, ...shown }
  const values: { id: string; [name: string]: unknown } = { id: item.id }
  for (const field of [...model.values, ...model.owned, ...model.resources]) {
    if (!(Object.hasOwn(left, field.wire) && fits(model, item.id, field, left[field.wire]))) continue
    values[field.name] = left[field.wire]
    delete left[field.wire]
  }
  for (const { name, schema, requiredOut } of model.values)
    if (requiredOut && !Object.hasOwn(values, name)) values[name] = await defaultOf(schema)
  const renewed = withLeft(storedItem(model, values, item.revision + 1), left, keys as Members | undefined)
  return sameContent(renewed, item) ? item : renewed
}

/** All that decides where the members of a stored item stand: items that were written under the same one need not be renewed. */
export function formOf(model: ModelDescription): string {
  const members = [
    ...model.values.map((field) => [field.wire, isShown(field) ? 'shown' : 'hidden', field.requiredOut]),
    ...model.owned.map((field) => [field.wire, field.kind]),
    ...model.slots.map(({ top, way }) => [way.join('/'), isShown(top) ? 'resource' : 'hidden resource']),
    ...(model.hash ? [[model.hash.wire, 'hash']] : []),
  ]
  return JSON.stringify(members.map((member) => JSON.stringify(member)).sort())
}

/**
 * A value is left as it is found, even where its schema has changed; but in the place of a relation or a resource only such can stand, and a resource
 * nowhere else, where its bytes would be lost.
 */
function fits(
  model: ModelDescription,
  id: string,
  field: ValueField | OwnedRelation | ModelDescription['resources'][number],
  value: unknown,
): boolean {
  if (field.kind === 'toOne' || field.kind === 'toMany') return isLinkage(field, value)
  if (field.kind === 'resource') return value === null || value instanceof StoredResource
  if (!field.resources) return !(value instanceof StoredResource)
  try {
    new ResourceWriter(model, id).value(field.resources, value, field.wire)
    return true
  } catch {
    return false
  }
}

/** Is it what items hold of such a relation? */
export function isLinkage({ kind }: OwnedRelation, value: unknown): boolean {
  if (kind === 'toOne') return value === null || typeof value === 'string'
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

async function defaultOf(schema: Schema): Promise<unknown> {
  const validation = await validate(schema, undefined)
  return validation.kind === 'valid' ? validation.value : undefined
}

/** The blobs of what is put by are put by too, and those within values that are left as they were found. */
function withLeft(item: StoredItem, left: Members, keys: Members | undefined): StoredItem {
  const { [keysMember]: held, ...hidden }: Members = item.hidden === null ? {} : JSON.parse(item.hidden)
  const all: Members = { ...keys, ...(held as Members | undefined) }
  if (Object.keys(left).length === 0 && Object.keys(all).length === Object.keys(held ?? {}).length) return item
  return { ...item, hidden: JSON.stringify({ ...hidden, ...left, ...(keys && { [keysMember]: all }) }) }
}
