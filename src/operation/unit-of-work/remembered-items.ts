import type { ModelDescription } from '../../model/model-description.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'

/**
 * Items of one transaction as they are stored, by model and id. A member of the unit, because a
 * WeakMap with an entry for each request takes the garbage collector longer than hooks themselves.
 */
export type RememberedItems = Map<ModelDescription, Map<string, StoredItem>>

export function rememberItem(
  items: RememberedItems,
  model: ModelDescription,
  item: StoredItem,
): void {
  const byId = items.get(model)
  if (byId) byId.set(item.id, item)
  else items.set(model, new Map([[item.id, item]]))
}
