import type { ModelDescription } from '../model/model-description.ts'
import { satisfyingIds } from '../store/satisfying-ids.ts'
import type { StoreReader } from '../store/store-reader.ts'
import { createStoredItem, readStoredValues } from '../stored-item/create-stored-item.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { GuardedField } from './field-guards.ts'

/**
 * The items as a caller sees them: without the members that rules keep from it, and with a version
 * of what is left. So neither the text nor a tag tells what is hidden.
 * @param reader finds the items that rules through relations depend on
 */
export async function maskItems(
  reader: StoreReader,
  model: ModelDescription,
  items: readonly StoredItem[],
  masks: readonly GuardedField[],
): Promise<readonly StoredItem[]> {
  if (masks.length === 0 || items.length === 0) return items
  const names = await maskedNames(reader, model, items, masks)
  return items.map((item, index) => withoutMembers(model, item, names[index]!))
}

/** The fields that the caller does not see, for each of the items. */
export async function maskedNames(
  reader: StoreReader,
  model: ModelDescription,
  items: readonly StoredItem[],
  masks: readonly GuardedField[],
): Promise<readonly (readonly string[])[]> {
  const names = items.map((): string[] => [])
  for (const { name, condition } of masks) {
    const visible = await satisfyingIds(reader, model, items, condition)
    for (const [index, { id }] of items.entries()) if (!visible.has(id)) names[index]!.push(name)
  }
  return names
}

/** The item without some of its members, and with a version of what is left. */
export function withoutMembers(
  model: ModelDescription,
  item: StoredItem,
  names: readonly string[],
): StoredItem {
  if (names.length === 0) return item
  const values: Record<string, unknown> & { id: string } = { ...readStoredValues(model, item) }
  for (const name of names) delete values[name]
  // Without a random salt: the model and what is left alone decide about the version.
  return createStoredItem(model, values, item.revision, model.name)
}
