import {
  allItemsPlan,
  idIsAnyOf,
  type ModelDescription,
  type StoredItem,
  type StoreReader,
} from '../../store/public.ts'
import { batchSize, type MovedItem } from './item-source.ts'

/** The items with these ids that a store has. */
export async function findItems(
  store: StoreReader,
  model: ModelDescription,
  ids: readonly string[],
): Promise<ReadonlyMap<string, StoredItem>> {
  const items = new Map<string, StoredItem>()
  for (let start = 0; start < ids.length; start += batchSize) {
    const condition = idIsAnyOf(ids.slice(start, start + batchSize))
    for await (const batch of store.list(model, { ...allItemsPlan, condition }))
      for (const item of batch) items.set(item.id, item)
  }
  return items
}

/** The items of a batch that a store has, by model and id. */
export async function findBatch(
  store: StoreReader,
  batch: readonly MovedItem[],
): Promise<(item: MovedItem) => StoredItem | undefined> {
  const itemsByModel = new Map<ModelDescription, ReadonlyMap<string, StoredItem>>()
  for (const model of new Set(batch.map((item) => item.model))) {
    const ids = batch.filter((item) => item.model === model).map(({ values }) => values.id)
    itemsByModel.set(model, await findItems(store, model, ids))
  }
  return ({ model, values }) => itemsByModel.get(model)!.get(values.id)
}
