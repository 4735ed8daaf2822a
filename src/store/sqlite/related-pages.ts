import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { allItemsPlan, type OffsetPlan, type Position } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { RelatedQuery } from '../sql/related-query.ts'
import { itemColumns, lazyItemOfRow, type Row, scalarOfColumn } from '../sql/rows.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { StoreCall } from '../store-call.ts'
import type { RelatedStoredItem, StoreReader } from '../store-reader.ts'
import { maxCheapRows } from './access-path.ts'
import { ChunkSize, maxChunkBytes, readBatchSize, unlessTooManyBytes } from './chunk-size.ts'
import { type ReadContext, readRows } from './read-rows.ts'
import { queryCount } from './run-statement.ts'
import { toStoreError } from './sqlite-error.ts'

/** The maximum number of rows that one statement returns, computed from the page limit. */
const maxBatchRows = 10_000
/** The maximum number of owners per statement where pages have no limit. */
const maxBatchOwners = 500

/**
 * Reads pages of related items with one statement for many owners. Long statements run in a worker.
 */
export function relatedPages(context: ReadContext): StoreReader['relatedPages'] {
  const { connection, queries, isLarge, offload } = context
  const readsFewRows = (owners: number, plan: OffsetPlan, query: RelatedQuery): boolean =>
    (query.isIndexScan &&
      owners * (plan.pageRange.limit + plan.pageRange.offset) <= maxCheapRows) ||
    queryCount(connection, query.probe(maxCheapRows)) <= maxCheapRows

  /** Reads the items of known ids, a few at a time. */
  async function* readByIds(
    model: ModelDescription,
    idRows: readonly Row[],
    call: StoreCall | undefined,
  ): AsyncGenerator<readonly RelatedStoredItem[]> {
    const query = queries.list(model, allItemsPlan)
    const size = new ChunkSize(readBatchSize)
    for (let start = 0, end = 0; start < idRows.length; start = end) {
      if (start > 0) await yieldToEventLoop(call)
      const rows = await size.next((maxCount, maxBytes) => {
        end = Math.min(start + maxCount, idRows.length)
        const ids = new Set(idRows.slice(start, end).map(([id]) => id as string))
        return readRows(context, query.byIds([...ids]), call, maxBytes)
      })
      const items = new Map(rows.map((row) => lazyItemOfRow(row)).map((item) => [item.id, item]))
      const related = idRows.slice(start, end).flatMap((row) => {
        // An item that was deleted in the meantime is on no page.
        const item = items.get(row[0] as string)
        return item ? [new RelatedRow(row, item, 1)] : []
      })
      if (related.length > 0) yield related
    }
  }

  return async function* (model, relation, owners, plan, call) {
    const { relatedModel } = relation
    const width = itemColumns(relatedModel).length
    const count = ownersPerStatement(plan)
    try {
      for (let start = 0; start < owners.length; start += count) {
        if (start > 0) await yieldToEventLoop(call)
        const batch = owners.slice(start, start + count)
        const query = queries.related(model, relation, batch, plan)
        const scanPool =
          offload && isLarge(relatedModel) && !readsFewRows(batch.length, plan, query)
            ? offload.scanPool
            : undefined
        const readPages = async (statement: Statement, maxBytes: number): Promise<Row[]> =>
          scanPool?.rows(statement, call, maxBytes) ?? readRows(context, statement, call, maxBytes)
        const rows = await unlessTooManyBytes(() => readPages(query.pages(), maxChunkBytes))
        if (!rows)
          yield* readByIds(
            relatedModel,
            await readPages(query.idPages(), Number.POSITIVE_INFINITY),
            call,
          )
        else if (rows.length > 0)
          yield rows.map((row) => new RelatedRow(row, lazyItemOfRow(row, width), width))
      }
    } catch (error) {
      throw toStoreError(error)
    }
  }
}

function ownersPerStatement({ pageRange: { limit } }: OffsetPlan): number {
  return limit === Number.POSITIVE_INFINITY
    ? maxBatchOwners
    : Math.max(1, Math.floor(maxBatchRows / Math.max(1, limit)))
}

/** A related item whose position is computed on access: only the last of a page is needed. */
class RelatedRow implements RelatedStoredItem {
  readonly item: StoredItem
  readonly ownerId: string
  readonly #row: Row
  readonly #width: number

  /** @param width the number of columns before the values of the sort keys */
  constructor(row: Row, item: StoredItem, width: number) {
    this.item = item
    this.ownerId = row.at(-1) as string
    this.#row = row
    this.#width = width
  }

  get position(): Position {
    return [...this.#row.slice(this.#width, -1).map(scalarOfColumn), this.item.id]
  }
}
