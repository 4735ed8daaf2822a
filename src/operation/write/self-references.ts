import type { ModelView } from '../../model/model-view.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'

/**
 * What needs no look into the store: a new item may relate to itself, and is not there before it is
 * written.
 */
export function selfReferences({ model }: ModelView, id: string): StoredValues {
  const leadingBack = model.ownedRelations.filter((field) => field.relatedModel === model)
  return { id, ...Object.fromEntries(leadingBack.map((field) => [field.name, [id]])) }
}
