import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { Condition, PageRange, Position, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { maxCheapRows } from '../sql/access-path.ts'
import type { Caller, PageEntry, StoredPage, StoreReader } from '../store.ts'
import { ChunkSize, maxChunkBytes, unlessTooManyBytes } from './chunk-size.ts'
import type { Connection } from './connection.ts'
import { idRanges, isWholeListById } from './id-ranges.ts'
import type { ListQuery, RowFormat } from './list-query.ts'
import { type PageStatements, pageReader } from './page-reader.ts'
import type { Queries, RelationMember } from './queries.ts'
import { relatedPages } from './related-pages.ts'
import {
  itemColumns,
  itemOfRow,
  lazyItemOfRow,
  listedItemsOf,
  type Row,
  scalarOfColumn,
} from './rows.ts'
import { queryFirstRow, queryRows } from './run-statement.ts'
import type { ScanOffload } from './scan-offload.ts'
import type { ScanPool } from './scan-pool.ts'
import type { SqlQuery } from './sql-query.ts'
import { toStoreError } from './sqlite-error.ts'
import type { Statement } from './statement-cache.ts'

/** Items read between two turns of the event loop. */
export const readBatchSize = 256

export interface ReaderOptions {
  readonly connection: Connection
  readonly queries: Queries
  /**
   * Where long work goes; without, as inside a transaction that only its own connection sees, all
   * is done here.
   */
  readonly offload?: ScanOffload
}

/**
 * Answers over one connection. What an index bounds takes microseconds and is done at once; what
 * may look at a whole large table is handed to the scan worker.
 */
export function sqliteReader({ connection, queries, offload }: ReaderOptions): StoreReader {
  const windows = pageReader(connection, offload)
  const stretches = idRanges(connection, queries)
  const all = (statement: Statement): Row[] => queryRows(connection, statement)

  const statementsOf = (question: ListQuery, form: RowFormat): PageStatements => ({
    full: () => question.rows(form),
    trial: () => question.rows(form, true),
    countItems: (rows) => rows.length,
  })

  /** For statements that may look at many rows. */
  const looked = (
    statement: Statement,
    caller: Caller | undefined,
    maxBytes?: number,
  ): Row[] | Promise<Row[]> =>
    offload ? offload.rows(connection, statement, caller, maxBytes) : all(statement)

  const scansFor = (
    model: ModelDescription,
    question: SqlQuery,
    few: boolean,
  ): ScanPool | undefined =>
    few || question.kind === 'walk' || !offload?.isLarge(model) ? undefined : offload.scanPool

  /** Goes on after the last id of the batch before. */
  async function* byId(
    model: ModelDescription,
    plan: QueryPlan,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    let { pageRange } = plan
    const size = new ChunkSize(readBatchSize)
    for (let left = pageRange.limit; left > 0; ) {
      let limit = 0
      const rows = await size.next((most, maxBytes) => {
        limit = Math.min(left, most)
        const question = queries.list(model, { ...plan, pageRange: { ...pageRange, limit } })
        const statement = question.rows('items')
        if (question.kind === 'walk')
          return connection.withByteLimit(maxBytes, () => all(statement))
        return looked(statement, caller, maxBytes)
      })
      const { length } = rows
      const items = listedItemsOf(rows)
      const last = items.at(-1)?.id
      if (length > 0) yield items
      if (last === undefined || length < limit) return
      left -= length
      pageRange = pageRangeAfter(pageRange, last)
      await yieldToEventLoop(caller)
    }
  }

  /** Walks the index of a relation by its targets, which has the holders in the order of ids. */
  async function* byTarget(
    model: ModelDescription,
    held: RelationMember,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    const size = new ChunkSize(readBatchSize)
    for (let from: string | undefined; ; ) {
      let asked = 0
      const rows = await size.next((count, maxBytes) => {
        asked = count
        return connection.withByteLimit(maxBytes, () =>
          all(queries.ownersOf(model, held, from, count)),
        )
      })
      const { length } = rows
      const items = listedItemsOf(rows)
      from = items.at(-1)?.id
      if (length > 0) yield items
      if (length < asked) return
      await yieldToEventLoop(caller)
    }
  }

  /**
   * Looks at so many ids at a time, whether items satisfy the condition there or not: no turn of
   * the event loop takes long.
   */
  async function* byStretch(
    model: ModelDescription,
    plan: QueryPlan,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    for (const part of stretches.split(model, plan)) {
      yield* byId(model, part, caller)
      await yieldToEventLoop(caller)
    }
  }

  /**
   * Settles the order first: an item whose sort key changes meanwhile would else be met twice, or
   * never.
   */
  async function* byPlace(
    question: ListQuery,
    window: PageRange,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    yield* byIds(question, idsOf(inPlanOrder(window, await looked(question.ids(), caller))), caller)
  }

  /** Those of them that still satisfy the condition of the question. */
  async function* byIds(
    question: ListQuery,
    ids: readonly string[],
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    const size = new ChunkSize(readBatchSize)
    for (let start = 0, end = 0; start < ids.length; start = end) {
      if (start > 0) await yieldToEventLoop(caller)
      const rows = await size.next((most, maxBytes) => {
        end = Math.min(start + most, ids.length)
        return looked(question.byIds(ids.slice(start, end)), caller, maxBytes)
      })
      if (rows.length > 0) yield listedItemsOf(rows)
    }
  }

  async function* itemsAt(
    question: ListQuery,
    ids: readonly string[],
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    try {
      yield* byIds(question, ids, caller)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  /** The ids of a window, in its order, each with the values of the sort keys. */
  const placesOf = async (
    model: ModelDescription,
    question: ListQuery,
    window: PageRange,
    caller: Caller | undefined,
  ): Promise<Row[]> =>
    inPlanOrder(
      window,
      await windows.rows(model, question, window, statementsOf(question, 'places'), caller),
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
        const held = soleTargetOf(model, plan)
        if (held) {
          yield* byTarget(model, held, caller)
          return
        }
        const { pageRange } = plan
        const question = queries.list(model, plan)
        if (pageRange.limit <= maxCheapRows) {
          const items = statementsOf(question, 'items')
          const rows = await unlessTooManyBytes(() =>
            windows.rows(model, question, pageRange, items, caller, maxChunkBytes),
          )
          if (!rows)
            yield* byIds(
              question,
              idsOf(await placesOf(model, question, pageRange, caller)),
              caller,
            )
          else if (rows.length > 0) yield listedItemsOf(inPlanOrder(pageRange, rows))
          return
        }
        if (question.kind === 'scan' && isWholeListById(plan) && offload?.isLarge(model)) {
          yield* byStretch(model, plan, caller)
          return
        }
        const few = windows.looksAtFewRows(question)
        const scans = scansFor(model, question, few)
        if (few) {
          const rows = await unlessTooManyBytes(() =>
            looked(question.rows('items'), caller, maxChunkBytes),
          )
          if (!rows) yield* byPlace(question, pageRange, caller)
          else if (rows.length > 0) yield listedItemsOf(inPlanOrder(pageRange, rows))
        } else if (scans) {
          yield* scans.list(question, pageRange, caller)
        } else if (
          plan.sort.length === 0 &&
          pageRange.kind !== 'before' &&
          question.kind !== 'gather'
        ) {
          yield* byId(model, plan, caller)
        } else {
          yield* byPlace(question, pageRange, caller)
        }
      } catch (error) {
        throw toStoreError(error)
      }
    },

    async page(model, plan, caller) {
      try {
        const question = queries.list(model, plan)
        const items = statementsOf(question, 'placedItems')
        const rows = await unlessTooManyBytes(() =>
          windows.rows(model, question, plan.pageRange, items, caller, maxChunkBytes),
        )
        const keys = plan.sort.length
        if (rows)
          return pageInMemory(inPlanOrder(plan.pageRange, rows), itemColumns(model).length, keys)
        const places = await placesOf(model, question, plan.pageRange, caller)
        return {
          entries: places.map((row) => new EntryRow(row, 1, keys)),
          items: (wanted) =>
            itemsAt(
              question,
              wanted.map(({ id }) => id),
              caller,
            ),
        }
      } catch (error) {
        throw toStoreError(error)
      }
    },

    async count(model: ModelDescription, condition: Condition, caller?: Caller) {
      try {
        const question = queries.count(model, condition)
        const scans = scansFor(model, question, windows.looksAtFewRows(question))
        const rows = scans
          ? await scans.rows(question.count(), caller)
          : await looked(question.count(), caller)
        return rows[0]![0] as number
      } catch (error) {
        throw toStoreError(error)
      }
    },

    relatedPages: relatedPages(connection, queries, offload),
  }
}

/** What the items hold that are asked for, where that is all that is asked of them. */
function soleTargetOf(
  model: ModelDescription,
  { condition, sort, pageRange }: QueryPlan,
): RelationMember | undefined {
  if (condition.kind !== 'members' || condition.quantity !== 'any' || condition.values.length !== 1)
    return undefined
  if (
    sort.length > 0 ||
    pageRange.kind !== 'slice' ||
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

/** Windows before a position are read backwards from it. */
function inPlanOrder(window: PageRange, rows: Row[]): Row[] {
  return window.kind === 'before' ? rows.reverse() : rows
}

function pageRangeAfter(window: PageRange, id: string): PageRange {
  return window.kind === 'between'
    ? { ...window, after: [id] }
    : { kind: 'after', position: [id], limit: window.limit }
}

function idsOf(rows: readonly Row[]): readonly string[] {
  return rows.map(([id]) => id as string)
}

function pageInMemory(rows: readonly Row[], width: number, keys: number): StoredPage {
  const places = rows.map((row) => new ItemRow(row, width, keys))
  return {
    entries: places,
    // They are the page's own places.
    items: (wanted) => singleBatch((wanted as readonly ItemRow[]).map(({ item }) => item)),
  }
}

async function* singleBatch(items: readonly StoredItem[]): AsyncGenerator<readonly StoredItem[]> {
  if (items.length > 0) yield items
}

/** Of a page only the ends are asked for their positions. */
class EntryRow implements PageEntry {
  readonly #row: Row
  readonly #width: number
  readonly #keys: number

  /** @param width how many columns stand before the values of the sort keys */
  constructor(row: Row, width: number, keys: number) {
    this.#row = row
    this.#width = width
    this.#keys = keys
  }

  get id(): string {
    return this.#row[0] as string
  }

  get position(): Position {
    return [...this.#row.slice(this.#width, this.#width + this.#keys).map(scalarOfColumn), this.id]
  }
}

class ItemRow extends EntryRow {
  readonly item: StoredItem

  constructor(row: Row, width: number, keys: number) {
    super(row, width, keys)
    this.item = lazyItemOfRow(row, width)
  }

  override get id(): string {
    return this.item.id
  }
}
