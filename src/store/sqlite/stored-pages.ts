import type { ModelDescription } from '../../model/model-description.ts'
import type { PageRange, Position, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ListQuery, RowFormat } from '../sql/list-query.ts'
import { itemColumns, lazyItemOfRow, listedItemsOf, type Row, scalarOfColumn } from '../sql/rows.ts'
import type { StoreCall } from '../store-call.ts'
import type { PageEntry, StoredPage } from '../store-reader.ts'
import type { AccessPath } from './access-path.ts'
import { maxChunkBytes, unlessTooManyBytes } from './chunk-size.ts'
import { inPlanOrder, listByIds } from './list-by-ids.ts'
import type { PageReader, PageStatements } from './page-reader.ts'
import type { ReadContext } from './read-rows.ts'
import { toStoreError } from './sqlite-error.ts'

/** Reads a page: as a whole, or its ids first where its texts are too large for memory. */
export async function readPage(
  context: ReadContext,
  pages: PageReader,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
): Promise<StoredPage> {
  const { pageRange, sort } = plan
  const query = context.queries.list(model, plan)
  const statements = statementsOf(query, 'itemsWithPositions')
  const rows = await unlessTooManyBytes(() =>
    pages.rows(model, query, pageRange, statements, call, maxChunkBytes),
  )
  if (rows)
    return pageInMemory(inPlanOrder(pageRange, rows), itemColumns(model).length, sort.length)
  const idRows = await readIdRows(pages, model, query, pageRange, call)
  return {
    entries: idRows.map((row) => new EntryRow(row, 1, sort.length)),
    items: (entries) => itemsOf(context, query, entries, call),
  }
}

/** Reads the items of a short list: all at once, or by id where their texts are large. */
export async function* listShort(
  context: ReadContext,
  pages: PageReader,
  model: ModelDescription,
  query: ListQuery<AccessPath>,
  pageRange: PageRange,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const statements = statementsOf(query, 'items')
  const rows = await unlessTooManyBytes(() =>
    pages.rows(model, query, pageRange, statements, call, maxChunkBytes),
  )
  if (!rows) {
    const idRows = await readIdRows(pages, model, query, pageRange, call)
    const ids = idRows.map(([id]) => id as string)
    yield* listByIds(context, query, ids, call)
  } else if (rows.length > 0) yield listedItemsOf(inPlanOrder(pageRange, rows), query.itemWidth)
}

function statementsOf(query: ListQuery<AccessPath>, format: RowFormat): PageStatements {
  return {
    read: (source) => query.rows(format, source),
    countItems: (rows) => rows.length,
  }
}

/** The ids of a page in order, each with the values of its sort keys. */
async function readIdRows(
  pages: PageReader,
  model: ModelDescription,
  query: ListQuery<AccessPath>,
  pageRange: PageRange,
  call: StoreCall | undefined,
): Promise<Row[]> {
  const statements = statementsOf(query, 'idsWithPositions')
  return inPlanOrder(pageRange, await pages.rows(model, query, pageRange, statements, call))
}

async function* itemsOf(
  context: ReadContext,
  query: ListQuery<AccessPath>,
  entries: readonly PageEntry[],
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  try {
    const ids = entries.map(({ id }) => id)
    yield* listByIds(context, query, ids, call)
  } catch (error) {
    throw toStoreError(error)
  }
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
