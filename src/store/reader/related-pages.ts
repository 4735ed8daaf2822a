import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import { allItemsPlan, type OffsetPlan } from '../../query/query-plan.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { Row } from '../sql/rows.ts'
import type { StoreCall } from '../store-call.ts'
import type { RelatedStoredItem } from '../store-reader.ts'
import { ChunkSize, maxChunkBytes, unlessTooManyBytes } from './chunk-size.ts'
import { RelatedRow } from './item-rows.ts'
import type { ReadContext } from './read-context.ts'

/** The maximum number of rows that one statement returns, computed from the page limit. */
const maxBatchRows = 10_000
/** The maximum number of owners per statement where pages have no limit. */
const maxBatchOwners = 500

/** Reads pages of related items with one statement for many owners. */
export async function* relatedPages<S extends ReadStrategy>(
  context: ReadContext<S>,
  model: ModelDescription,
  relation: ManyRelation,
  owners: readonly string[],
  plan: OffsetPlan,
  call: StoreCall | undefined,
): AsyncGenerator<readonly RelatedStoredItem[]> {
  const { queries, runner } = context
  const { relatedModel } = relation
  const { itemWidth, listedItemOf } = queries.tableOf(relatedModel)
  const count = ownersPerStatement(plan)
  try {
    for (let start = 0; start < owners.length; start += count) {
      if (start > 0) await yieldToEventLoop(call)
      const batch = owners.slice(start, start + count)
      const query = queries.related(model, relation, batch, plan)
      const run = runner.relatedRows(relatedModel, query, batch.length, plan)
      const rows = await unlessTooManyBytes(() => run(query.pages(), call, maxChunkBytes))
      if (!rows) yield* readByIds(context, relatedModel, await run(query.idPages(), call), call)
      else if (rows.length > 0)
        yield rows.map((row) => new RelatedRow(row, listedItemOf(row), itemWidth))
    }
  } catch (error) {
    throw runner.errorOf(error)
  }
}

/** Reads the items of known ids, a few at a time. */
async function* readByIds<S extends ReadStrategy>(
  { queries, runner }: ReadContext<S>,
  model: ModelDescription,
  idRows: readonly Row[],
  call: StoreCall | undefined,
): AsyncGenerator<readonly RelatedStoredItem[]> {
  const query = queries.list(model, allItemsPlan)
  const size = new ChunkSize(runner.batchSize)
  for (let start = 0, end = 0; start < idRows.length; start = end) {
    if (start > 0) await yieldToEventLoop(call)
    const rows = await size.next((maxCount, maxBytes) => {
      end = Math.min(start + maxCount, idRows.length)
      const ids = new Set(idRows.slice(start, end).map(([id]) => String(id)))
      return runner.rows(query.byIds([...ids]), call, maxBytes)
    })
    const items = new Map(rows.map(query.table.listedItemOf).map((item) => [item.id, item]))
    const related = idRows.slice(start, end).flatMap((row) => {
      // An item that was deleted in the meantime is on no page.
      const item = items.get(String(row[0]))
      return item ? [new RelatedRow(row, item, 1)] : []
    })
    if (related.length > 0) yield related
  }
}

function ownersPerStatement({ pageRange: { limit } }: OffsetPlan): number {
  return limit === Number.POSITIVE_INFINITY
    ? maxBatchOwners
    : Math.max(1, Math.floor(maxBatchRows / Math.max(1, limit)))
}
