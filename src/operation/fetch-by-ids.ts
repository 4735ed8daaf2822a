import type { ModelDescription } from '../model/description.ts'
import { both, hasAnyId } from '../query/conditions.ts'
import { type Condition, everything } from '../query/query-plan.ts'
import type { StoreReader } from '../store/store.ts'
import type { StoredItem } from '../store/stored-item.ts'

/** Ids of one question. */
export const batchSize = 500

/** The items with these ids that satisfy the guard, in batches of one question each, in the order of ids. */
export async function* fetchByIds(
  reader: StoreReader,
  model: ModelDescription,
  ids: readonly string[],
  guard: Condition,
): AsyncGenerator<readonly StoredItem[]> {
  for (let start = 0; start < ids.length; start += batchSize) {
    const condition = both(hasAnyId(ids.slice(start, start + batchSize)), guard)
    yield* reader.list(model, { ...everything, condition })
  }
}
