import type { ModelDescription } from '../model/model-description.ts'
import { andAlso, idIsAnyOf } from '../query/conditions.ts'
import { allItemsPlan, type Condition } from '../query/query-plan.ts'
import { maxIdsPerQuery } from '../store/max-ids-per-query.ts'
import type { StoreReader } from '../store/store-reader.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'

/** The items with these ids that satisfy the guard, with one query for each batch of ids. */
export async function* fetchByIds(
  reader: StoreReader,
  model: ModelDescription,
  ids: readonly string[],
  guard: Condition,
): AsyncGenerator<readonly StoredItem[]> {
  for (let start = 0; start < ids.length; start += maxIdsPerQuery) {
    const condition = andAlso(idIsAnyOf(ids.slice(start, start + maxIdsPerQuery)), guard)
    yield* reader.list(model, { ...allItemsPlan, condition })
  }
}
