import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { PageRange, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { listedItemsOf } from '../sql/rows.ts'
import type { StoreCall } from '../store-call.ts'
import { ChunkSize, readBatchSize } from './chunk-size.ts'
import { type ReadContext, readIndexedRows, readRows } from './read-rows.ts'

/** Reads a list in the order of ids; each batch continues after the last id of the previous one. */
export async function* listById(
  context: ReadContext,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  let { pageRange } = plan
  const size = new ChunkSize(readBatchSize)
  for (let remaining = pageRange.limit; remaining > 0; ) {
    let limit = 0
    const rows = await size.next((maxCount, maxBytes) => {
      limit = Math.min(remaining, maxCount)
      const query = context.queries.list(model, { ...plan, pageRange: { ...pageRange, limit } })
      const statement = query.rows('items', { kind: 'any' })
      return query.strategy.name === 'indexScan'
        ? readIndexedRows(context, statement, maxBytes)
        : readRows(context, statement, call, maxBytes)
    })
    const { length } = rows
    const items = listedItemsOf(rows)
    const lastId = items.at(-1)?.id
    if (length > 0) yield items
    if (lastId === undefined || length < limit) return
    remaining -= length
    pageRange = pageRangeAfter(pageRange, lastId)
    await yieldToEventLoop(call)
  }
}

function pageRangeAfter(pageRange: PageRange, id: string): PageRange {
  return pageRange.kind === 'between'
    ? { ...pageRange, after: [id] }
    : { kind: 'after', position: [id], limit: pageRange.limit }
}
