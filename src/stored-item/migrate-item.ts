import type { ModelDescription, OwnedRelation, ValueField } from '../model/model-description.ts'
import { StoredResource } from '../model/stored-resource.ts'
import { type Schema, validate } from '../schema/standard-schema.ts'
import { createStoredItem, hasSameContent, isShown } from './create-stored-item.ts'
import { blobKeysMember, ResourceWriter, restoreResources } from './item-resources.ts'
import type { StoredItem } from './stored-item.ts'

type Members = Record<string, unknown>

/**
 * An item that an older form of its model wrote, as the model writes it now: what became hidden is
 * no longer in the text that clients see, what is new is there with its default, as null or empty.
 * Members that the model has no longer are put by among the hidden ones, where one that declares
 * them again finds them. The item itself where all is as it was.
 */
export async function migrateItem(model: ModelDescription, item: StoredItem): Promise<StoredItem> {
  const shown: Members = JSON.parse(item.text)
  const hidden: Members = item.hiddenText === null ? {} : JSON.parse(item.hiddenText)
  restoreResources(shown, hidden)
  const { id, hash: _, [blobKeysMember]: keys, ...left } = { ...hidden, ...shown }
  const values: { id: string; [name: string]: unknown } = { id: item.id }
  for (const field of [...model.valueFields, ...model.ownedRelations, ...model.resourceFields]) {
    if (
      !(
        Object.hasOwn(left, field.wireName) &&
        canHoldValue(model, item.id, field, left[field.wireName])
      )
    )
      continue
    values[field.name] = left[field.wireName]
    delete left[field.wireName]
  }
  for (const { name, schema, isRequiredInResponse } of model.valueFields)
    if (isRequiredInResponse && !Object.hasOwn(values, name))
      values[name] = await defaultValueOf(schema)
  const renewed = withUnknownMembers(
    createStoredItem(model, values, item.revision + 1),
    left,
    keys as Members | undefined,
  )
  return hasSameContent(renewed, item) ? item : renewed
}

/**
 * All that decides where the members of a stored item stand: items that were written under the same
 * one need not be renewed.
 */
export function schemaFingerprint(model: ModelDescription): string {
  const members = [
    ...model.valueFields.map((field) => [
      field.wireName,
      isShown(field) ? 'shown' : 'hidden',
      field.isRequiredInResponse,
    ]),
    ...model.ownedRelations.map((field) => [field.wireName, field.kind]),
    ...model.resourcePaths.map(({ itemField, segments }) => [
      segments.join('/'),
      isShown(itemField) ? 'resource' : 'hidden resource',
    ]),
    ...(model.hashField ? [[model.hashField.wireName, 'hash']] : []),
  ]
  return JSON.stringify(members.map((member) => JSON.stringify(member)).sort())
}

/**
 * A value is left as it is found, even where its schema has changed; but in the place of a relation
 * or a resource only such can stand, and a resource nowhere else, where its bytes would be lost.
 */
function canHoldValue(
  model: ModelDescription,
  id: string,
  field: ValueField | OwnedRelation | ModelDescription['resourceFields'][number],
  value: unknown,
): boolean {
  if (field.kind === 'toOne' || field.kind === 'toMany') return isLinkageValue(field, value)
  if (field.kind === 'resource') return value === null || value instanceof StoredResource
  if (!field.nestedResources) return !(value instanceof StoredResource)
  try {
    new ResourceWriter(model, id).writeValue(field.nestedResources, value, field.wireName)
    return true
  } catch {
    return false
  }
}

/** Is it what items hold of such a relation? */
export function isLinkageValue({ kind }: OwnedRelation, value: unknown): boolean {
  if (kind === 'toOne') return value === null || typeof value === 'string'
  return Array.isArray(value) && value.every((one) => typeof one === 'string')
}

async function defaultValueOf(schema: Schema): Promise<unknown> {
  const validation = await validate(schema, undefined)
  return validation.kind === 'valid' ? validation.value : undefined
}

/**
 * The blobs of what is put by are put by too, and those within values that are left as they were
 * found.
 */
function withUnknownMembers(
  item: StoredItem,
  left: Members,
  keys: Members | undefined,
): StoredItem {
  const { [blobKeysMember]: held, ...hidden }: Members =
    item.hiddenText === null ? {} : JSON.parse(item.hiddenText)
  const all: Members = { ...keys, ...(held as Members | undefined) }
  if (Object.keys(left).length === 0 && Object.keys(all).length === Object.keys(held ?? {}).length)
    return item
  return {
    ...item,
    hiddenText: JSON.stringify({ ...hidden, ...left, ...(keys && { [blobKeysMember]: all }) }),
  }
}
