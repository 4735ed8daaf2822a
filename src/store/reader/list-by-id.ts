import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { Condition, PageRange, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { isIdPath } from '../sql/index-scan.ts'
import { anyRows } from '../sql/list-query.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { StoreCall } from '../store-call.ts'
import { ChunkSize } from './chunk-size.ts'
import { listedItemsOf } from './item-rows.ts'
import type { ReadContext } from './read-context.ts'

/** Reads a list in the order of ids; each batch continues after the last id of the previous one. */
export async function* listById<S extends ReadStrategy>(
  { queries, runner }: ReadContext<S>,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const table = queries.tableOf(model)
  const maxCount = table.hasUniqueIds ? namedIdCount(plan.condition) : Number.POSITIVE_INFINITY
  const { batchSize, firstBatchSize } = runner
  // Items whose ids are named are read with one statement, if these are no more than a batch.
  const size = new ChunkSize(batchSize, maxCount <= batchSize ? batchSize : firstBatchSize)
  let { pageRange } = plan
  // More rows may have one id than a batch has.
  let batchFactor = 1
  for (let remaining = Math.min(pageRange.limit, maxCount); remaining > 0; ) {
    let limit = 0
    const rows = await size.next((maxRows, maxBytes) => {
      limit = Math.min(remaining, maxRows * batchFactor)
      const query = queries.list(model, { ...plan, pageRange: { ...pageRange, limit } })
      return runner.batchRows(query, query.rows('items', anyRows), call, maxBytes)
    })
    const isLast = rows.length < limit || limit === remaining
    const read = listedItemsOf(table, rows)
    const items = isLast || table.hasUniqueIds ? read : completeIds(read)
    const lastId = items.at(-1)?.id
    const { length } = items
    if (length > 0) yield items
    if (isLast) return
    if (lastId === undefined) batchFactor *= 2
    else {
      batchFactor = 1
      remaining -= length
      pageRange = pageRangeAfter(pageRange, lastId)
    }
    await yieldToEventLoop(call)
  }
}

function pageRangeAfter(pageRange: PageRange, id: string): PageRange {
  return pageRange.kind === 'between'
    ? { ...pageRange, after: [id] }
    : { kind: 'after', position: [id], limit: pageRange.limit }
}

/** How many ids the condition names, if it does: there are no more items. */
function namedIdCount(condition: Condition): number {
  if (condition.kind === 'and') return Math.min(...condition.conditions.map(namedIdCount))
  if (condition.kind !== 'oneOf' || !isIdPath(condition.path)) return Number.POSITIVE_INFINITY
  return condition.values.length
}

/** The rows whose id does not go on in the next batch, which begins after an id. */
function completeIds(items: readonly StoredItem[]): readonly StoredItem[] {
  const { id } = items.at(-1)!
  return items.filter((item) => item.id !== id)
}
