import type { ModelDescription, OwnedRelation } from '../../model/model-description.ts'
import type { QueryPlan } from '../../query/query-plan.ts'
import { isRelevance } from '../../query/sort-keys.ts'
import type { RawLineFormat } from '../../stored-item/raw-lines.ts'
import { maxChunkBytes, unlessTooManyBytes } from '../reader/chunk-size.ts'
import { inPlanOrder, positionIn } from '../reader/item-rows.ts'
import { pageStatements } from '../reader/list-by-ids.ts'
import type { ReadContext } from '../reader/read-context.ts'
import type { Row } from '../sql/rows.ts'
import type { TableOf } from '../sql/table.ts'
import type { StoreCall } from '../store-call.ts'
import type { RawJsonReader } from '../store-reader.ts'
import type { ItemTable } from './item-table.ts'

interface RawContext extends ReadContext {
  readonly tableOf: TableOf<ItemTable>
}

/**
 * Writes the items of a page as one text, without an object for each of them. Longer pages are sent
 * in parts, as items. Whole lists are read item by item: their batches gain nothing by it.
 */
export function rawJsonReader(context: RawContext): RawJsonReader {
  /** The expected characters of an item, so that few long pages are read twice. */
  const itemLengths = new WeakMap<ItemTable, number>()
  return {
    async page(model, plan, relations, format, call) {
      const { pageRange } = plan
      const table = context.tableOf(model)
      if (!canCache(table, format)) return undefined
      // The reader of items may read such a page in parts.
      if (plan.sort.some(isRelevance) && context.queries.list(model, plan).strategy.looksUpMany)
        return undefined
      const itemLength = itemLengths.get(table) ?? 0
      if (pageRange.limit * itemLength > maxChunkBytes) {
        // Items may have become shorter: a page is tried again after a few that are not.
        itemLengths.set(table, itemLength * 0.9)
        return undefined
      }
      const rangeAndOne = { ...pageRange, limit: pageRange.limit + 1 }
      const rows = await rowsOf(context, model, { ...plan, pageRange: rangeAndOne }, call)
      if (!rows) {
        // The real length is unknown. Twice the limit keeps pages of this size from being tried for
        // the next few requests.
        itemLengths.set(table, (2 * maxChunkBytes) / pageRange.limit)
        return undefined
      }
      const pageRows = inPlanOrder(pageRange, rows.slice(0, pageRange.limit))
      const lines = linesOf(table, pageRows, format)
      itemLengths.set(table, lines.length / Math.max(1, pageRows.length))
      if (lines.length > maxChunkBytes) return undefined
      const positionOf = (row: Row | undefined) => row && positionIn(table, plan, row)
      return {
        lines: Buffer.from(lines),
        firstPosition: pageRange.kind === 'offset' ? undefined : positionOf(pageRows[0]),
        lastPosition: positionOf(pageRows.at(-1)),
        hasMore: rows.length > pageRange.limit,
        linkedIds: new Map(
          relations.map((relation) => [relation, linkedIds(table, relation, pageRows)]),
        ),
      }
    },
    list: () => undefined,
  }
}

/** Undefined where the rows are too large. */
async function rowsOf(
  { queries, runner }: RawContext,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
): Promise<Row[] | undefined> {
  const query = queries.list(model, plan)
  try {
    const statements = pageStatements(query, 'itemsWithPositions')
    return await unlessTooManyBytes(() =>
      runner.pageRows(query, plan.pageRange, statements, call, maxChunkBytes),
    )
  } catch (error) {
    throw runner.errorOf(error, plan)
  }
}

/**
 * Lines with offsets are cached by version. One that the model names may stay while another program
 * changes the row.
 */
function canCache({ version }: ItemTable, format: RawLineFormat): boolean {
  return format === 'text' || version.kind !== 'named'
}

function linesOf(table: ItemTable, rows: readonly Row[], format: RawLineFormat): string {
  let lines = ''
  let separator = ''
  for (const row of rows) {
    const { text, relationsOffset } = table.itemOf(row)
    lines += separator + text
    if (format === 'textAndOffset') lines += relationsOffset
    separator = '\n'
  }
  return lines
}

function linkedIds(
  table: ItemTable,
  relation: OwnedRelation,
  rows: readonly Row[],
): readonly string[] {
  const linkedIdsOf = table.linkedIdsReader(relation)
  const ids = new Set<string>()
  for (const row of rows) for (const id of linkedIdsOf(row)) ids.add(id)
  return [...ids]
}
