import type { ModelDescription } from '../../model/model-description.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ListQuery } from '../sql/list-query.ts'
import { itemOfRow, listedItemsOf } from '../sql/rows.ts'
import type { StoreCall } from '../store-call.ts'
import type { StoreReader } from '../store-reader.ts'
import type { TransactionFastPaths } from '../store-transaction.ts'
import { type AccessPath, maxCheapRows } from './access-path.ts'
import { maxChunkBytes, unlessTooManyBytes } from './chunk-size.ts'
import { listById } from './list-by-id.ts'
import { isWholeListById, listByIdRange } from './list-by-id-range.ts'
import { inPlanOrder, sortIdsThenList } from './list-by-ids.ts'
import { listByTarget, soleTargetOf } from './list-by-target.ts'
import { type PageReader, pageReader } from './page-reader.ts'
import { type ReadContext, readRows, scanPoolFor } from './read-rows.ts'
import { relatedPages } from './related-pages.ts'
import { queryFirstRow } from './run-statement.ts'
import { toStoreError } from './sqlite-error.ts'
import { listShort, readPage } from './stored-pages.ts'

/**
 * Reads over one connection. What an index bounds takes microseconds and runs at once; scans of
 * large tables run in a worker.
 */
export function sqliteReader(context: ReadContext): StoreReader {
  const { connection, queries } = context
  const pages = pageReader(context)
  return {
    find(model, condition) {
      try {
        const row = queryFirstRow(connection, queries.find(model, condition))
        return Promise.resolve(row && itemOfRow(row))
      } catch (error) {
        return Promise.reject(toStoreError(error))
      }
    },

    async *list(model, plan, call) {
      try {
        yield* chooseList(context, pages, model, plan, call)
      } catch (error) {
        throw toStoreError(error)
      }
    },

    async page(model, plan, call) {
      try {
        return await readPage(context, pages, model, plan, call)
      } catch (error) {
        throw toStoreError(error)
      }
    },

    async count(model, condition, call) {
      try {
        const query = queries.count(model, condition)
        const scanPool = pages.readsFewRows(model, query)
          ? undefined
          : scanPoolFor(context, model, query)
        const rows = scanPool
          ? await scanPool.rows(query.count(), call)
          : await readRows(context, query.count(), call)
        return rows[0]![0] as number
      } catch (error) {
        throw toStoreError(error)
      }
    },

    relatedPages: relatedPages(context),
  }
}

/** What a transaction reads. */
export type TransactionReader = StoreReader & Required<Pick<TransactionFastPaths, 'countEach'>>

/** Reads within a transaction, whose connection alone sees its changes. */
export function transactionReader(context: Omit<ReadContext, 'offload'>): TransactionReader {
  const { connection, queries } = context
  return {
    ...sqliteReader(context),
    async countEach(counts) {
      try {
        return queryFirstRow(connection, queries.countEach(counts)) as number[]
      } catch (error) {
        throw toStoreError(error)
      }
    },
  }
}

/** Lists items in the way that reads the fewest rows and blocks the event loop least. */
function chooseList(
  context: ReadContext,
  pages: PageReader,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
): AsyncIterable<readonly StoredItem[]> {
  const { pageRange, sort } = plan
  const target = soleTargetOf(model, plan)
  if (target) return listByTarget(context, model, target, call)
  const query = context.queries.list(model, plan)
  if (pageRange.limit <= maxCheapRows)
    return listShort(context, pages, model, query, pageRange, call)
  if (pages.readsFewRows(model, query)) return listFewRows(context, query, plan, call)
  const { name } = query.strategy
  const mayScanTable = name === 'fullScan' || name === 'rangeScan'
  if (mayScanTable && isWholeListById(plan) && context.offload && context.isLarge(model))
    return listByIdRange(context, model, plan, call)
  const scanPool = scanPoolFor(context, model, query)
  if (scanPool) return scanPool.list(query, pageRange, call)
  return sort.length === 0 && pageRange.kind !== 'before' && name !== 'indexLookup'
    ? listById(context, model, plan, call)
    : sortIdsThenList(context, query, pageRange, call)
}

/** Reads the rows of an index lookup at once, where their texts are not too large. */
async function* listFewRows(
  context: ReadContext,
  query: ListQuery<AccessPath>,
  { pageRange }: QueryPlan,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const rows = await unlessTooManyBytes(() =>
    readRows(context, query.rows('items', { kind: 'lookup' }), call, maxChunkBytes),
  )
  if (!rows) yield* sortIdsThenList(context, query, pageRange, call)
  else if (rows.length > 0) yield listedItemsOf(inPlanOrder(pageRange, rows), query.itemWidth)
}
