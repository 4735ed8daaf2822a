import type { ModelDescription } from '../model/model-description.ts'
import { StoredResource } from '../model/stored-resource.ts'
import { createStoredItem, hasSameContent, readStoredValues } from './create-stored-item.ts'
import type { StoredItem, StoredValues } from './stored-item.ts'

/**
 * The values of an item that was stored some time ago, as far as today's model has their fields.
 * Values need not fit the schema of their field. Relations hold ids, and file fields hold files, or
 * nothing.
 */
export function readPastValues(model: ModelDescription, item: StoredItem): StoredValues {
  const values: Record<string, unknown> & { id: string } = { ...readStoredValues(model, item) }
  for (const { kind, name } of model.ownedRelations) {
    const ids = [values[name]].flat().filter((id) => typeof id === 'string')
    values[name] = kind === 'toOne' ? (ids[0] ?? null) : ids
  }
  for (const { name } of model.resourceFields)
    if (!(values[name] instanceof StoredResource)) values[name] = null
  for (const { name, nestedResources } of model.valueFields)
    if (nestedResources && !canBeStored(model, { id: item.id, [name]: values[name] }))
      delete values[name]
  return values
}

/**
 * An item of these values, with the version of the given one if it has the same content. Otherwise
 * its version tells no more than the values.
 */
export function pastItemOf(
  model: ModelDescription,
  values: StoredValues,
  item: StoredItem,
): StoredItem {
  const created = createStoredItem(model, values, item.revision, model.name)
  return hasSameContent(created, item) ? item : created
}

/** Something may stand where the model has a file now. */
function canBeStored(model: ModelDescription, values: StoredValues): boolean {
  try {
    createStoredItem(model, values, 1)
    return true
  } catch {
    return false
  }
}
