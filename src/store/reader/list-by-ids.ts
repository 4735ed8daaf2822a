import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { PageRange } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ListQuery, RowContent } from '../sql/list-query.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { StoreCall } from '../store-call.ts'
import type { PageEntry } from '../store-reader.ts'
import { ChunkSize } from './chunk-size.ts'
import { inPlanOrder, listedItemsOf } from './item-rows.ts'
import type { PageStatements, ReadContext } from './read-context.ts'

/**
 * Sorts all ids before it reads items: otherwise an item whose sort key changes in the meantime
 * could appear twice or never.
 */
export async function* sortIdsThenList<S extends ReadStrategy>(
  context: ReadContext<S>,
  query: ListQuery<S>,
  pageRange: PageRange,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const rows = inPlanOrder(pageRange, await context.runner.rows(query.ids(), call))
  const ids = rows.map(([id]) => String(id))
  // Each id finds all of its rows, so an id that repeats is looked for once.
  yield* listByIds(context, query, query.table.hasUniqueIds ? ids : [...new Set(ids)], call)
}

/** Reads the items with these ids that still satisfy the condition. */
export async function* listByIds<S extends ReadStrategy>(
  { runner }: ReadContext<S>,
  query: ListQuery<S>,
  ids: readonly string[],
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const size = new ChunkSize(runner.batchSize, runner.firstBatchSize)
  for (let start = 0, end = 0; start < ids.length; start = end) {
    if (start > 0) await yieldToEventLoop(call)
    const rows = await size.next((maxCount, maxBytes) => {
      end = Math.min(start + maxCount, ids.length)
      return runner.rows(query.byIds(ids.slice(start, end)), call, maxBytes)
    })
    if (rows.length > 0) yield listedItemsOf(query.table, rows)
  }
}

/** The items of entries that were read without them. */
export async function* itemsById<S extends ReadStrategy>(
  context: ReadContext<S>,
  query: ListQuery<S>,
  entries: readonly PageEntry[],
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  try {
    const ids = entries.map(({ id }) => id)
    yield* listByIds(context, query, ids, call)
  } catch (error) {
    throw context.runner.errorOf(error)
  }
}

export function pageStatements<S extends ReadStrategy>(
  query: ListQuery<S>,
  content: RowContent,
): PageStatements {
  return {
    read: (source) => query.rows(content, source),
    countItems: (rows) => rows.length,
  }
}
