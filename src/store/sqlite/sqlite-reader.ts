import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { Condition, PageRange, Position, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ListQuery, RowFormat } from '../sql/list-query.ts'
import type { Queries, RelationMember } from '../sql/queries.ts'
import {
  itemColumns,
  itemOfRow,
  lazyItemOfRow,
  listedItemsOf,
  type Row,
  scalarOfColumn,
} from '../sql/rows.ts'
import type { SqlQuery } from '../sql/sql-query.ts'
import type { Statement } from '../sql/statement-cache.ts'
import type { Caller, PageEntry, StoredPage, StoreReader } from '../store.ts'
import { type AccessPath, maxCheapRows } from './access-path.ts'
import { ChunkSize, maxChunkBytes, unlessTooManyBytes } from './chunk-size.ts'
import type { Connection } from './connection.ts'
import { idRanges, isWholeListById } from './id-ranges.ts'
import { type PageStatements, pageReader, trialScanRows } from './page-reader.ts'
import { relatedPages } from './related-pages.ts'
import { queryFirstRow, queryRows } from './run-statement.ts'
import type { ScanOffload } from './scan-offload.ts'
import type { ScanPool } from './scan-pool.ts'
import { toStoreError } from './sqlite-error.ts'

/** Items read between two turns of the event loop. */
const readBatchSize = 256

export interface ReaderOptions {
  readonly connection: Connection
  readonly queries: Queries<AccessPath>
  /**
   * Runs long statements. Inside a transaction there is none, because only its own connection sees
   * its changes.
   */
  readonly offload?: ScanOffload
}

/**
 * Reads over one connection. What an index bounds takes microseconds and runs at once; scans of
 * large tables run in a worker.
 */
export function sqliteReader({ connection, queries, offload }: ReaderOptions): StoreReader {
  const pages = pageReader(connection, offload)
  const ranges = idRanges(connection, queries)
  const readOnMainThread = (statement: Statement): Row[] => queryRows(connection, statement)

  const statementsOf = (query: ListQuery<AccessPath>, format: RowFormat): PageStatements => ({
    full: () => query.rows(format),
    trial: () => query.rows(format, trialScanRows),
    countItems: (rows) => rows.length,
  })

  /** Runs a statement that may read many rows. */
  const read = (
    statement: Statement,
    caller: Caller | undefined,
    maxBytes?: number,
  ): Row[] | Promise<Row[]> =>
    offload ? offload.rows(connection, statement, caller, maxBytes) : readOnMainThread(statement)

  const scanPoolFor = (
    model: ModelDescription,
    query: SqlQuery<AccessPath>,
    isFew: boolean,
  ): ScanPool | undefined =>
    isFew || query.strategy.name === 'indexScan' || !offload?.isLarge(model)
      ? undefined
      : offload.scanPool

  /** Reads in the order of ids; each batch continues after the last id of the previous one. */
  async function* byId(
    model: ModelDescription,
    plan: QueryPlan,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    let { pageRange } = plan
    const size = new ChunkSize(readBatchSize)
    for (let remaining = pageRange.limit; remaining > 0; ) {
      let limit = 0
      const rows = await size.next((maxCount, maxBytes) => {
        limit = Math.min(remaining, maxCount)
        const query = queries.list(model, { ...plan, pageRange: { ...pageRange, limit } })
        const statement = query.rows('items')
        if (query.strategy.name === 'indexScan')
          return connection.withByteLimit(maxBytes, () => readOnMainThread(statement))
        return read(statement, caller, maxBytes)
      })
      const { length } = rows
      const items = listedItemsOf(rows)
      const lastId = items.at(-1)?.id
      if (length > 0) yield items
      if (lastId === undefined || length < limit) return
      remaining -= length
      pageRange = pageRangeAfter(pageRange, lastId)
      await yieldToEventLoop(caller)
    }
  }

  /**
   * Reads the owners of a target by the index of the join table, which has them in the order of
   * ids.
   */
  async function* byTarget(
    model: ModelDescription,
    member: RelationMember,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    const size = new ChunkSize(readBatchSize)
    for (let from: string | undefined; ; ) {
      let requested = 0
      const rows = await size.next((count, maxBytes) => {
        requested = count
        return connection.withByteLimit(maxBytes, () =>
          readOnMainThread(queries.ownersOf(model, member, from, count)),
        )
      })
      const { length } = rows
      const items = listedItemsOf(rows)
      from = items.at(-1)?.id
      if (length > 0) yield items
      if (length < requested) return
      await yieldToEventLoop(caller)
    }
  }

  /**
   * Reads a limited number of ids at a time, whether or not the items satisfy the condition, so
   * that no turn of the event loop takes long.
   */
  async function* byIdRange(
    model: ModelDescription,
    plan: QueryPlan,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    for (const rangePlan of ranges.split(model, plan)) {
      yield* byId(model, rangePlan, caller)
      await yieldToEventLoop(caller)
    }
  }

  /**
   * Reads all ids first: otherwise an item whose sort key changes in the meantime could appear
   * twice or never.
   */
  async function* inSettledOrder(
    query: ListQuery<AccessPath>,
    pageRange: PageRange,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    yield* byIds(query, idsOf(inPlanOrder(pageRange, await read(query.ids(), caller))), caller)
  }

  /** The items with these ids that still satisfy the condition. */
  async function* byIds(
    query: ListQuery<AccessPath>,
    ids: readonly string[],
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    const size = new ChunkSize(readBatchSize)
    for (let start = 0, end = 0; start < ids.length; start = end) {
      if (start > 0) await yieldToEventLoop(caller)
      const rows = await size.next((maxCount, maxBytes) => {
        end = Math.min(start + maxCount, ids.length)
        return read(query.byIds(ids.slice(start, end)), caller, maxBytes)
      })
      if (rows.length > 0) yield listedItemsOf(rows)
    }
  }

  async function* itemsByIds(
    query: ListQuery<AccessPath>,
    ids: readonly string[],
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    try {
      yield* byIds(query, ids, caller)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  /** The ids of a page in order, each with the values of its sort keys. */
  const idRowsOf = async (
    model: ModelDescription,
    query: ListQuery<AccessPath>,
    pageRange: PageRange,
    caller: Caller | undefined,
  ): Promise<Row[]> =>
    inPlanOrder(
      pageRange,
      await pages.rows(model, query, pageRange, statementsOf(query, 'idsWithPositions'), caller),
    )

  return {
    find(model, condition) {
      try {
        const row = queryFirstRow(connection, queries.find(model, condition))
        return Promise.resolve(row && itemOfRow(row))
      } catch (error) {
        return Promise.reject(toStoreError(error))
      }
    },

    async *list(model, plan, caller) {
      try {
        const member = soleTargetOf(model, plan)
        if (member) {
          yield* byTarget(model, member, caller)
          return
        }
        const { pageRange } = plan
        const query = queries.list(model, plan)
        if (pageRange.limit <= maxCheapRows) {
          const items = statementsOf(query, 'items')
          const rows = await unlessTooManyBytes(() =>
            pages.rows(model, query, pageRange, items, caller, maxChunkBytes),
          )
          if (!rows)
            yield* byIds(query, idsOf(await idRowsOf(model, query, pageRange, caller)), caller)
          else if (rows.length > 0) yield listedItemsOf(inPlanOrder(pageRange, rows))
          return
        }
        if (
          query.strategy.name === 'fullScan' &&
          isWholeListById(plan) &&
          offload?.isLarge(model)
        ) {
          yield* byIdRange(model, plan, caller)
          return
        }
        const isFew = pages.readsFewRows(query)
        const scanPool = scanPoolFor(model, query, isFew)
        if (isFew) {
          const rows = await unlessTooManyBytes(() =>
            read(query.rows('items'), caller, maxChunkBytes),
          )
          if (!rows) yield* inSettledOrder(query, pageRange, caller)
          else if (rows.length > 0) yield listedItemsOf(inPlanOrder(pageRange, rows))
        } else if (scanPool) {
          yield* scanPool.list(query, pageRange, caller)
        } else if (
          plan.sort.length === 0 &&
          pageRange.kind !== 'before' &&
          query.strategy.name !== 'indexLookup'
        ) {
          yield* byId(model, plan, caller)
        } else {
          yield* inSettledOrder(query, pageRange, caller)
        }
      } catch (error) {
        throw toStoreError(error)
      }
    },

    async page(model, plan, caller) {
      try {
        const query = queries.list(model, plan)
        const items = statementsOf(query, 'itemsWithPositions')
        const rows = await unlessTooManyBytes(() =>
          pages.rows(model, query, plan.pageRange, items, caller, maxChunkBytes),
        )
        const keyCount = plan.sort.length
        if (rows)
          return pageInMemory(
            inPlanOrder(plan.pageRange, rows),
            itemColumns(model).length,
            keyCount,
          )
        const idRows = await idRowsOf(model, query, plan.pageRange, caller)
        return {
          entries: idRows.map((row) => new EntryRow(row, 1, keyCount)),
          items: (entries) =>
            itemsByIds(
              query,
              entries.map(({ id }) => id),
              caller,
            ),
        }
      } catch (error) {
        throw toStoreError(error)
      }
    },

    async count(model: ModelDescription, condition: Condition, caller?: Caller) {
      try {
        const query = queries.count(model, condition)
        const scanPool = scanPoolFor(model, query, pages.readsFewRows(query))
        const rows = scanPool
          ? await scanPool.rows(query.count(), caller)
          : await read(query.count(), caller)
        return rows[0]![0] as number
      } catch (error) {
        throw toStoreError(error)
      }
    },

    relatedPages: relatedPages(connection, queries, offload),
  }
}

/** The target, if the plan lists all items whose to-many relation holds one target. */
function soleTargetOf(
  model: ModelDescription,
  { condition, sort, pageRange }: QueryPlan,
): RelationMember | undefined {
  if (condition.kind !== 'members' || condition.quantity !== 'any' || condition.values.length !== 1)
    return undefined
  if (
    sort.length > 0 ||
    pageRange.kind !== 'offset' ||
    pageRange.offset > 0 ||
    Number.isFinite(pageRange.limit)
  )
    return undefined
  const { names, guards } = condition.path
  const [target] = condition.values
  const relation = model.ownedRelations.find(
    ({ name, kind }) => kind === 'toMany' && name === names[0],
  )
  if (names.length > 1 || guards || !relation || typeof target !== 'string') return undefined
  return { relation: relation.name, target }
}

/** Pages before a position are read backwards from it. */
function inPlanOrder(pageRange: PageRange, rows: Row[]): Row[] {
  return pageRange.kind === 'before' ? rows.reverse() : rows
}

function pageRangeAfter(pageRange: PageRange, id: string): PageRange {
  return pageRange.kind === 'between'
    ? { ...pageRange, after: [id] }
    : { kind: 'after', position: [id], limit: pageRange.limit }
}

function idsOf(rows: readonly Row[]): readonly string[] {
  return rows.map(([id]) => id as string)
}

function pageInMemory(rows: readonly Row[], width: number, keyCount: number): StoredPage {
  const entries = rows.map((row) => new ItemRow(row, width, keyCount))
  return {
    entries,
    // The entries are those of this page.
    items: (pageEntries) =>
      singleBatch((pageEntries as readonly ItemRow[]).map(({ item }) => item)),
  }
}

async function* singleBatch(items: readonly StoredItem[]): AsyncGenerator<readonly StoredItem[]> {
  if (items.length > 0) yield items
}

/** An entry whose position is computed on access: only the first and last of a page are needed. */
class EntryRow implements PageEntry {
  readonly #row: Row
  readonly #width: number
  readonly #keyCount: number

  /** @param width the number of columns before the values of the sort keys */
  constructor(row: Row, width: number, keyCount: number) {
    this.#row = row
    this.#width = width
    this.#keyCount = keyCount
  }

  get id(): string {
    return this.#row[0] as string
  }

  get position(): Position {
    return [
      ...this.#row.slice(this.#width, this.#width + this.#keyCount).map(scalarOfColumn),
      this.id,
    ]
  }
}

class ItemRow extends EntryRow {
  readonly item: StoredItem

  constructor(row: Row, width: number, keyCount: number) {
    super(row, width, keyCount)
    this.item = lazyItemOfRow(row, width)
  }

  override get id(): string {
    return this.item.id
  }
}
