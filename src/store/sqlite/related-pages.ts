import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { allItemsPlan, type OffsetPlan, type Position } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { maxCheapRows } from '../sql/access-path.ts'
import type { Caller, RelatedStoredItem, StoreReader } from '../store.ts'
import { ChunkSize, maxChunkBytes, unlessTooManyBytes } from './chunk-size.ts'
import type { Connection } from './connection.ts'
import type { Queries } from './queries.ts'
import type { RelatedQuery } from './related-query.ts'
import { itemColumns, lazyItemOfRow, type Row, scalarOfColumn } from './rows.ts'
import { queryCount, queryRows } from './run-statement.ts'
import type { ScanOffload } from './scan-offload.ts'
import { toStoreError } from './sqlite-error.ts'
import type { Statement } from './statement-cache.ts'

/**
 * So many rows at most are taken into memory by one statement, as far as the window tells; a page
 * each for many owners fits.
 */
const maxBatchRows = 10_000
/** Items read at a time where they are large. */
const itemBatchSize = 256
/** Owners of one statement where the window has no end. */
const maxBatchOwners = 500

/**
 * Pages of many owners, by one statement for all of them unless they are huge. What is long work
 * goes to the scan worker.
 */
export function relatedPages(
  connection: Connection,
  queries: Queries,
  elsewhere: ScanOffload | undefined,
): StoreReader['relatedPages'] {
  const isFew = (owners: number, plan: OffsetPlan, question: RelatedQuery): boolean =>
    (question.isIndexScan &&
      owners * (plan.pageRange.limit + plan.pageRange.offset) <= maxCheapRows) ||
    queryCount(connection, question.probe(maxCheapRows + 1)) <= maxCheapRows

  const read = (
    statement: Statement,
    caller: Caller | undefined,
    maxBytes: number,
  ): Row[] | Promise<Row[]> =>
    elsewhere?.rows(connection, statement, caller, maxBytes) ??
    connection.withByteLimit(maxBytes, () => queryRows(connection, statement))

  /** Reads items of which the places are known, a few at a time. */
  async function* byPlace(
    target: ModelDescription,
    places: readonly Row[],
    caller: Caller | undefined,
  ): AsyncGenerator<readonly RelatedStoredItem[]> {
    const question = queries.list(target, allItemsPlan)
    const size = new ChunkSize(itemBatchSize)
    for (let start = 0, end = 0; start < places.length; start = end) {
      if (start > 0) await yieldToEventLoop(caller)
      const rows = await size.next((most, maxBytes) => {
        end = Math.min(start + most, places.length)
        const ids = new Set(places.slice(start, end).map(([id]) => id as string))
        return read(question.byIds([...ids]), caller, maxBytes)
      })
      const items = new Map(rows.map((row) => lazyItemOfRow(row)).map((item) => [item.id, item]))
      const related = places.slice(start, end).flatMap((row) => {
        // One that is gone meanwhile is on no page.
        const item = items.get(row[0] as string)
        return item ? [new RelatedRow(row, item, 1)] : []
      })
      if (related.length > 0) yield related
    }
  }

  return async function* (model, relation, owners, plan, caller) {
    const { relatedModel } = relation
    const width = itemColumns(relatedModel).length
    const count = ownersPerStatement(plan)
    try {
      for (let start = 0; start < owners.length; start += count) {
        if (start > 0) await yieldToEventLoop(caller)
        const asked = owners.slice(start, start + count)
        const question = queries.related(model, relation, asked, plan)
        const scans =
          elsewhere?.isLarge(relatedModel) && !isFew(asked.length, plan, question)
            ? elsewhere.scanPool
            : undefined
        const looked = async (statement: Statement, maxBytes: number): Promise<Row[]> =>
          scans?.rows(statement, caller, maxBytes) ?? read(statement, caller, maxBytes)
        const rows = await unlessTooManyBytes(() => looked(question.pages(), maxChunkBytes))
        if (!rows)
          yield* byPlace(
            relatedModel,
            await looked(question.idPages(), Number.POSITIVE_INFINITY),
            caller,
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

/** Of a page only the last item is asked for its place. */
class RelatedRow implements RelatedStoredItem {
  readonly item: StoredItem
  readonly ownerId: string
  readonly #row: Row
  readonly #width: number

  /** @param width how many columns stand before the values of the sort keys */
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
