import type { ModelDescription, OwnedRelation } from '../model/model-description.ts'
import type { StoreReader } from '../store/store.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'
import { fetchByIds } from './fetch-by-ids.ts'
import type { OperationInput } from './operation-input.ts'

/** The items that relations lead to, by model and id. */
export type RelatedItemsByModel = ReadonlyMap<ModelDescription, ReadonlyMap<string, StoredItem>>

/** Identifiers by the model they belong to. */
export type IdsByModel = ReadonlyMap<ModelDescription, Iterable<string>>

/** What these relations of the items lead to, as far as the caller may see it. */
export function fetchRelatedItems(
  reader: StoreReader,
  job: Pick<OperationInput, 'guards' | 'context'>,
  relations: readonly OwnedRelation[],
  items: readonly StoredValues[],
): Promise<RelatedItemsByModel> {
  const wanted = new Map<ModelDescription, Set<string>>()
  for (const { name, relatedModel } of relations) {
    const ids = wanted.get(relatedModel) ?? new Set<string>()
    wanted.set(relatedModel, ids)
    for (const values of items)
      for (const id of [values[name]].flat()) if (typeof id === 'string') ids.add(id)
  }
  return fetchItemsByModel(reader, job, wanted)
}

/**
 * Looks the items up, in one question per model and batch; what the caller may not see is missing.
 */
export async function fetchItemsByModel(
  reader: StoreReader,
  { guards, context }: Pick<OperationInput, 'guards' | 'context'>,
  wanted: IdsByModel,
): Promise<RelatedItemsByModel> {
  const related = new Map<ModelDescription, Map<string, StoredItem>>()
  for (const [target, ids] of wanted) {
    const found = new Map<string, StoredItem>()
    for await (const batch of fetchByIds(
      reader,
      target,
      [...ids],
      guards.readCondition(target, context),
    ))
      for (const item of batch) found.set(item.id, item)
    related.set(target, found)
  }
  return related
}
