import type { ModelDescription } from '../../model/model-description.ts'
import type { Condition, PageRange, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import type { ListQuery } from '../sql/list-query.ts'
import type { ReadStrategy } from '../sql/read-strategy.ts'
import type { ReadableTable } from '../sql/table.ts'
import type { StoreCall } from '../store-call.ts'
import { candidateCount } from './candidate-count.ts'
import { maxChunkBytes, unlessTooManyBytes } from './chunk-size.ts'
import { inPlanOrder, listedItemsOf } from './item-rows.ts'
import { listById } from './list-by-id.ts'
import { listByIds, pageStatements, sortIdsThenList } from './list-by-ids.ts'
import type { ReadContext } from './read-context.ts'

/** Lists up to this limit are read as pages are. */
const maxShortList = 1_000

const maxSortedCandidates = 10_000

/** Chooses how to read a list: with the fewest rows, and without blocking others for long. */
export function chooseList<S extends ReadStrategy>(
  context: ReadContext<S>,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
): AsyncIterable<readonly StoredItem[]> {
  const { pageRange, sort, condition } = plan
  const query = context.queries.list(model, plan)
  if (pageRange.limit <= maxShortList) return listShort(context, query, pageRange, call)
  const ownList = context.runner.longList?.(context, model, plan, query, call)
  if (ownList) return ownList
  const isInOrderOfIds =
    sort.length === 0 &&
    pageRange.kind !== 'before' &&
    query.strategy.name !== 'indexLookup' &&
    !relatesToSome(query.table, condition)
  if (!isInOrderOfIds) return sortIdsThenList(context, query, pageRange, call)
  return query.strategy.estimate
    ? listSearched(context, model, plan, query, call)
    : listById(context, model, plan, call)
}

/**
 * Reads what a search finds. Of few candidates all ids are sorted at once: with the limit of a
 * range of ids, the engine could read the whole table for each.
 */
async function* listSearched<S extends ReadStrategy>(
  context: ReadContext<S>,
  model: ModelDescription,
  plan: QueryPlan,
  query: ListQuery<S>,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const count = await candidateCount(context.runner, query, maxSortedCandidates, call)
  yield* count <= maxSortedCandidates
    ? sortIdsThenList(context, query, plan.pageRange, call)
    : listById(context, model, plan, call)
}

/** Reads the items of a short list: all at once, or by id where their texts are large. */
async function* listShort<S extends ReadStrategy>(
  context: ReadContext<S>,
  query: ListQuery<S>,
  pageRange: PageRange,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  const { runner } = context
  const rows = await unlessTooManyBytes(() =>
    runner.pageRows(query, pageRange, pageStatements(query, 'items'), call, maxChunkBytes),
  )
  if (!rows) {
    const idStatements = pageStatements(query, 'idsWithPositions')
    const idRows = await runner.pageRows(query, pageRange, idStatements, call)
    const ids = inPlanOrder(pageRange, idRows).map(([id]) => String(id))
    yield* listByIds(context, query, ids, call)
  } else if (rows.length > 0) yield listedItemsOf(query.table, inPlanOrder(pageRange, rows))
}

/**
 * Are these the items that relate to one of several others? No index has them in the order of ids:
 * to read them by ranges of the id is to find all of them for each range, or to pass over all
 * others one by one.
 */
function relatesToSome(table: ReadableTable, condition: Condition): boolean {
  if (condition.kind === 'and')
    return condition.conditions.some((operand) => relatesToSome(table, operand))
  if (condition.kind !== 'oneOf' || condition.values.length < 2) return false
  const { names, guards } = condition.path
  const [name] = names
  const isOwn = names.length === 1 && !guards?.length
  return isOwn && table.columns.get(name!)?.field.kind === 'toOne'
}
