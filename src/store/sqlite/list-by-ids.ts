import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { PageRange } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ListQuery } from '../sql/list-query.ts'
import { listedItemsOf, type Row } from '../sql/rows.ts'
import type { StoreCall } from '../store-call.ts'
import type { AccessPath } from './access-path.ts'
import { ChunkSize, readBatchSize } from './chunk-size.ts'
import { type ReadContext, readRows } from './read-rows.ts'

/**
 * Sorts all ids before it reads items: otherwise an item whose sort key changes in the meantime
 * could appear twice or never.
 */
export async function* sortIdsThenList(
  context: ReadContext,
  query: ListQuery<AccessPath>,
  pageRange: PageRange,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const rows = inPlanOrder(pageRange, await readRows(context, query.ids(), call))
  yield* listByIds(
    context,
    query,
    rows.map(([id]) => id as string),
    call,
  )
}

/** Reads the items with these ids that still satisfy the condition. */
export async function* listByIds(
  context: ReadContext,
  query: ListQuery<AccessPath>,
  ids: readonly string[],
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const size = new ChunkSize(readBatchSize)
  for (let start = 0, end = 0; start < ids.length; start = end) {
    if (start > 0) await yieldToEventLoop(call)
    const rows = await size.next((maxCount, maxBytes) => {
      end = Math.min(start + maxCount, ids.length)
      return readRows(context, query.byIds(ids.slice(start, end)), call, maxBytes)
    })
    if (rows.length > 0) yield listedItemsOf(rows)
  }
}

/** Pages before a position are read backwards from it. */
export function inPlanOrder(pageRange: PageRange, rows: Row[]): Row[] {
  return pageRange.kind === 'before' ? rows.reverse() : rows
}
