import type { ModelDescription } from '../../model/model-description.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import { isRelevance } from '../../query/sort-keys.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { Row } from '../sql/rows.ts'
import type { StoreCall } from '../store-call.ts'
import type { StoredPage, StoreReader } from '../store-reader.ts'
import { maxChunkBytes, unlessTooManyBytes } from './chunk-size.ts'
import { IdEntry, ItemEntry, inPlanOrder } from './item-rows.ts'
import { itemsById, pageStatements } from './list-by-ids.ts'
import { chooseList } from './list-items.ts'
import { pageByRelevance } from './page-by-relevance.ts'
import type { ReadContext } from './read-context.ts'
import { readGroups } from './read-groups.ts'
import { relatedPages } from './related-pages.ts'

/**
 * Reads the items of a database. The format of rows is that of its tables, and its runner says how
 * statements run.
 */
export function itemReader<S extends ReadStrategy>(context: ReadContext<S>): StoreReader {
  const { queries, runner } = context
  return {
    // An async function would cost more than the rest of this where the row is at hand.
    find(model, condition, call) {
      try {
        const row = runner.firstRow(queries.find(model, condition), call)
        return row instanceof Promise
          ? itemOfPendingRow(context, model, row)
          : Promise.resolve(row && queries.tableOf(model).itemOf(row))
      } catch (error) {
        return Promise.reject(runner.errorOf(error))
      }
    },

    list: (model, plan, call) => listItems(context, model, plan, call),

    async page(model, plan, call) {
      try {
        const [key] = plan.sort
        if (key === undefined || !isRelevance(key))
          return await readPage(context, model, plan, call)
        const read = (part: QueryPlan) => readPage(context, model, part, call)
        return (await pageByRelevance(context, model, plan, call, read)) ?? (await read(plan))
      } catch (error) {
        throw runner.errorOf(error, plan)
      }
    },

    async count(model, condition, call) {
      try {
        const query = queries.count(model, condition)
        const [row] = await runner.scanRows(model, query, query.count(), call)
        return Number(row![0])
      } catch (error) {
        throw runner.errorOf(error)
      }
    },

    async groups(model, plan, call) {
      try {
        return await readGroups(context, model, plan, call)
      } catch (error) {
        throw runner.errorOf(error)
      }
    },

    relatedPages: (model, relation, owners, plan, call) =>
      relatedPages(context, model, relation, owners, plan, call),
  }
}

async function itemOfPendingRow<S extends ReadStrategy>(
  { queries, runner }: ReadContext<S>,
  model: ModelDescription,
  pendingRow: Promise<Row | undefined>,
): Promise<StoredItem | undefined> {
  try {
    const row = await pendingRow
    return row && queries.tableOf(model).itemOf(row)
  } catch (error) {
    throw runner.errorOf(error)
  }
}

async function* listItems<S extends ReadStrategy>(
  context: ReadContext<S>,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  try {
    yield* chooseList(context, model, plan, call)
  } catch (error) {
    throw context.runner.errorOf(error, plan)
  }
}

/** Reads a page: as a whole, or its ids first where its texts are too large for memory. */
async function readPage<S extends ReadStrategy>(
  context: ReadContext<S>,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
): Promise<StoredPage> {
  const { queries, runner } = context
  const { pageRange, sort } = plan
  const query = queries.list(model, plan)
  const statements = pageStatements(query, 'itemsWithPositions')
  const rows = await unlessTooManyBytes(() =>
    runner.pageRows(query, pageRange, statements, call, maxChunkBytes),
  )
  if (rows) {
    const entries = inPlanOrder(pageRange, rows).map(
      (row) => new ItemEntry(query.table, row, sort.length),
    )
    return { entries, items: itemsOfEntries }
  }
  const idRows = await runner.pageRows(
    query,
    pageRange,
    pageStatements(query, 'idsWithPositions'),
    call,
  )
  return {
    entries: inPlanOrder(pageRange, idRows).map((row) => new IdEntry(row, sort.length)),
    items: (entries) => itemsById(context, query, entries, call),
  }
}

/** The entries are those of a page in memory. */
async function* itemsOfEntries(
  entries: StoredPage['entries'],
): AsyncGenerator<readonly StoredItem[]> {
  if (entries.length > 0) yield (entries as readonly ItemEntry[]).map(({ item }) => item)
}
