import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ManyRelation, ModelDescription } from '../../model/model-description.ts'
import type { Condition, OffsetPlan, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { isIdPath } from '../sql/index-scan.ts'
import type { StoreCall } from '../store-call.ts'
import type { RelatedStoredItem, StoredPage, StoreReader } from '../store-reader.ts'
import { inPlanOrder } from './in-plan-order.ts'
import { entriesOf, type ItemEntry, relatedItemsOf } from './item-rows.ts'
import type { ItemTable } from './item-table.ts'
import { type ReaderContext, readPlan, readRows } from './read-plan.ts'

/** How many items are read at a time. */
const batchSize = 500
/** The maximum number of rows that one statement returns, computed from the page limit. */
const maxBatchRows = 10_000
const maxBatchOwners = 500

export function tablesReader(context: ReaderContext): StoreReader {
  const { queries, tableOf } = context
  return {
    async find(model, condition, call) {
      const [row] = await readRows(context, queries.find(model, condition), call)
      return row && tableOf(model).itemOf(row)
    },

    list: (model, plan, call) => listItems(context, model, plan, call),

    async page(model, plan, call): Promise<StoredPage> {
      const rows = await readPlan(context, queries.rows(model, plan), plan, call)
      const entries = inPlanOrder(plan.pageRange, entriesOf(tableOf(model), rows, plan))
      return {
        entries,
        // The entries are those of this page.
        items: (pageEntries) => singleBatch((pageEntries as readonly ItemEntry[]).map(itemOf)),
      }
    },

    async count(model, condition, call) {
      const [row] = await readRows(context, queries.count(model, condition), call)
      return Number(row![0])
    },

    relatedPages: (model, relation, owners, plan, call) =>
      relatedPages(context, model, relation, owners, plan, call),
  }
}

async function* relatedPages(
  context: ReaderContext,
  model: ModelDescription,
  relation: ManyRelation,
  owners: readonly string[],
  plan: OffsetPlan,
  call: StoreCall | undefined,
): AsyncGenerator<readonly RelatedStoredItem[]> {
  const { queries, tableOf } = context
  const count = ownersPerStatement(plan)
  for (let start = 0; start < owners.length; start += count) {
    if (start > 0) await yieldToEventLoop(call)
    const batch = owners.slice(start, start + count)
    const statement = queries.relatedPages(model, relation, batch, plan)
    const rows = await readRows(context, statement, call)
    if (rows.length > 0) yield relatedItemsOf(tableOf(relation.relatedModel), rows, plan)
  }
}

/**
 * Are these the items that relate to one of several others? No index has them in the order of ids:
 * to read them by ranges of the id is to find all of them for each range, or to pass over all
 * others one by one.
 */
function relatesToSome(table: ItemTable, condition: Condition): boolean {
  if (condition.kind === 'and')
    return condition.conditions.some((operand) => relatesToSome(table, operand))
  if (condition.kind !== 'oneOf' || condition.values.length < 2) return false
  const { names, guards } = condition.path
  const [name] = names
  const isOwn = names.length === 1 && !guards?.length
  return isOwn && table.columns.get(name!)?.field.kind === 'toOne'
}

/**
 * A short list is read at once. A long one is read in batches: by ranges of the id, or by ids that
 * are sorted first, so that no item appears twice because its sort key changes in the meantime.
 */
async function* listItems(
  context: ReaderContext,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const { pageRange, sort } = plan
  if (pageRange.limit <= batchSize) {
    const rows = await readPlan(context, context.queries.rows(model, plan), plan, call)
    const items = inPlanOrder(pageRange, entriesOf(context.tableOf(model), rows, plan)).map(itemOf)
    if (items.length > 0) yield items
  } else if (
    sort.length === 0 &&
    pageRange.kind !== 'before' &&
    !relatesToSome(context.tableOf(model), plan.condition)
  )
    yield* listByIdRanges(context, model, plan, call)
  else yield* listSortedIds(context, model, plan, call)
}

async function* listByIdRanges(
  context: ReaderContext,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  let { pageRange } = plan
  let size = batchSize
  const { hasUniqueIds } = context.tableOf(model)
  const maxCount = hasUniqueIds ? namedIdCount(plan.condition) : Number.POSITIVE_INFINITY
  for (let remaining = Math.min(pageRange.limit, maxCount); remaining > 0; ) {
    const limit = Math.min(remaining, size)
    const statement = context.queries.rows(model, { ...plan, pageRange: { ...pageRange, limit } })
    const rows = await readPlan(context, statement, plan, call)
    const read = rows.map(context.tableOf(model).itemOf)
    const isLast = read.length < limit || limit === remaining
    const items = isLast ? read : completeIds(context.tableOf(model), read)
    if (items.length > 0) yield items
    if (isLast) return
    // More rows have this id than were read.
    if (items.length === 0) size *= 2
    else {
      size = batchSize
      remaining -= items.length
      const after = [items.at(-1)!.id]
      pageRange =
        pageRange.kind === 'between'
          ? { ...pageRange, after }
          : { kind: 'after', position: after, limit: pageRange.limit }
    }
    await yieldToEventLoop(call)
  }
}

/** How many ids the condition names, if it does: there are no more items. */
function namedIdCount(condition: Condition): number {
  if (condition.kind === 'and') return Math.min(...condition.conditions.map(namedIdCount))
  if (condition.kind !== 'oneOf' || !isIdPath(condition.path)) return Number.POSITIVE_INFINITY
  return condition.values.length
}

/** The rows whose id does not go on in the next batch, which begins after an id. */
function completeIds(
  { hasUniqueIds }: Pick<ItemTable, 'hasUniqueIds'>,
  items: readonly StoredItem[],
): readonly StoredItem[] {
  if (hasUniqueIds) return items
  const { id } = items.at(-1)!
  return items.filter((item) => item.id !== id)
}

async function* listSortedIds(
  context: ReaderContext,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const { queries, tableOf } = context
  const table = tableOf(model)
  const rows = await readPlan(context, queries.ids(model, plan), plan, call)
  const ids = inPlanOrder(plan.pageRange, rows).map(([id]) => String(id))
  // Each id finds all of its rows, so an id that repeats is looked for once.
  const distinctIds = table.hasUniqueIds ? ids : [...new Set(ids)]
  for (let start = 0; start < distinctIds.length; start += batchSize) {
    if (start > 0) await yieldToEventLoop(call)
    const batch = distinctIds.slice(start, start + batchSize)
    const items = await readRows(context, queries.byIds(model, plan.condition, batch), call)
    if (items.length > 0) yield items.map(table.itemOf)
  }
}

function itemOf({ item }: ItemEntry): StoredItem {
  return item
}

async function* singleBatch(items: readonly StoredItem[]): AsyncGenerator<readonly StoredItem[]> {
  if (items.length > 0) yield items
}

function ownersPerStatement({ pageRange: { limit } }: OffsetPlan): number {
  return limit === Number.POSITIVE_INFINITY
    ? maxBatchOwners
    : Math.max(1, Math.floor(maxBatchRows / Math.max(1, limit)))
}
