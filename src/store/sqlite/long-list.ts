import type { ModelDescription } from '../../model/model-description.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { maxChunkBytes, unlessTooManyBytes } from '../reader/chunk-size.ts'
import { inPlanOrder, listedItemsOf } from '../reader/item-rows.ts'
import { sortIdsThenList } from '../reader/list-by-ids.ts'
import type { ReadContext } from '../reader/read-context.ts'
import type { ListQuery } from '../sql/list-query.ts'
import type { StoreCall } from '../store-call.ts'
import type { AccessPath } from './access-path.ts'
import {
  type DocumentReadContext,
  type DocumentRunner,
  scanPoolFor,
} from './document-read-context.ts'
import { isWholeListById, listByIdRange } from './list-by-id-range.ts'
import { listByTarget, soleTargetOf } from './list-by-target.ts'

interface LongList {
  readonly model: ModelDescription
  readonly plan: QueryPlan
  readonly query: ListQuery<AccessPath>
  readonly call: StoreCall | undefined
}

/** Reads a list by an index that has few of its items, by ranges of the id, or in a worker. */
export function longList(
  documents: DocumentReadContext,
  runner: DocumentRunner,
  readContext: ReadContext<AccessPath>,
  list: LongList,
): AsyncIterable<readonly StoredItem[]> | undefined {
  const { model, plan, query, call } = list
  const target = soleTargetOf(model, plan)
  if (target) return listByTarget(documents, runner, model, target, call)
  if (runner.readsFewRows(model, query)) return listFewRows(readContext, list)
  const { name } = query.strategy
  const mayScanTable = name === 'fullScan' || name === 'rangeScan' || name === 'searchLookup'
  if (mayScanTable && isWholeListById(plan) && documents.offload && documents.isLarge(model))
    return listByIdRange(documents, readContext, model, plan, call)
  return scanPoolFor(documents, model, query)?.list(query, plan.pageRange, call)
}

/** Reads the rows of an index lookup at once, where their texts are not too large. */
async function* listFewRows(
  context: ReadContext<AccessPath>,
  { plan: { pageRange }, query, call }: LongList,
): AsyncGenerator<readonly StoredItem[]> {
  const statement = query.rows('items', { kind: 'lookup' })
  const rows = await unlessTooManyBytes(() => context.runner.rows(statement, call, maxChunkBytes))
  if (!rows) yield* sortIdsThenList(context, query, pageRange, call)
  else if (rows.length > 0) yield listedItemsOf(query.table, inPlanOrder(pageRange, rows))
}
