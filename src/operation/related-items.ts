import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'
import { fetchByIds } from './fetch-by-ids.ts'
import type { OperationInput } from './operation-input.ts'

/** Related items, by model and id. */
export type RelatedItemsByModel = ReadonlyMap<ModelDescription, ReadonlyMap<string, StoredItem>>

export type IdsByModel = ReadonlyMap<ModelDescription, Iterable<string>>

/** The items that these relations lead to, and that the caller may see. */
export function fetchRelatedItems(
  reader: StoreReader,
  input: Pick<OperationInput, 'guards' | 'context'>,
  relations: readonly OwnedRelation[],
  items: readonly StoredValues[],
): Promise<RelatedItemsByModel> {
  const idsByModel = new Map<ModelDescription, Set<string>>()
  for (const { name, relatedModel } of relations) {
    const ids = idsByModel.get(relatedModel) ?? new Set<string>()
    idsByModel.set(relatedModel, ids)
    for (const values of items)
      for (const id of [values[name]].flat()) if (typeof id === 'string') ids.add(id)
  }
  return fetchItemsByModel(reader, input, idsByModel)
}

/**
 * Reads items, with one query for each model and batch. Items that the caller may not see are
 * missing.
 */
export async function fetchItemsByModel(
  reader: StoreReader,
  { guards, context }: Pick<OperationInput, 'guards' | 'context'>,
  idsByModel: IdsByModel,
): Promise<RelatedItemsByModel> {
  const related = new Map<ModelDescription, Map<string, StoredItem>>()
  for (const [model, ids] of idsByModel) {
    const items = new Map<string, StoredItem>()
    for await (const batch of fetchByIds(
      reader,
      model,
      [...ids],
      guards.readCondition(model, context),
    ))
      for (const item of batch) items.set(item.id, item)
    related.set(model, items)
  }
  return related
}
