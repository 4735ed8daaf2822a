import type { ModelDescription, OwnedRelation } from '../model/description.ts'
import type { StoreReader } from '../store/store.ts'
import type { StoredItem, StoredValues } from '../store/stored-item.ts'
import { fetchByIds } from './fetch-by-ids.ts'
import type { Job } from './job.ts'

/** The items that relations lead to, by model and id. */
export type Related = ReadonlyMap<ModelDescription, ReadonlyMap<string, StoredItem>>

/** Identifiers by the model they belong to. */
export type Wanted = ReadonlyMap<ModelDescription, Iterable<string>>

/** What these relations of the items lead to, as far as the caller may see it. */
export function itemsRelatedTo(
  reader: StoreReader,
  job: Pick<Job, 'guards' | 'context'>,
  relations: readonly OwnedRelation[],
  items: readonly StoredValues[],
): Promise<Related> {
  const wanted = new Map<ModelDescription, Set<string>>()
  for (const { name, target } of relations) {
    const ids = wanted.get(target) ?? new Set<string>()
    wanted.set(target, ids)
    for (const values of items) for (const id of [values[name]].flat()) if (typeof id === 'string') ids.add(id)
  }
  return relatedItems(reader, job, wanted)
}

/** Looks the items up, in one question per model and batch; what the caller may not see is missing. */
export async function relatedItems(
  reader: StoreReader,
  { guards, context }: Pick<Job, 'guards' | 'context'>,
  wanted: Wanted,
): Promise<Related> {
  const related = new Map<ModelDescription, Map<string, StoredItem>>()
  for (const [target, ids] of wanted) {
    const found = new Map<string, StoredItem>()
    for await (const batch of fetchByIds(reader, target, [...ids], guards.condition(target, context)))
      for (const item of batch) found.set(item.id, item)
    related.set(target, found)
  }
  return related
}
