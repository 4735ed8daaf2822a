import { yieldToEventLoop } from '../../concurrency/yield-to-event-loop.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { andAlso } from '../../query/conditions.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { listById } from '../reader/list-by-id.ts'
import type { ReadContext } from '../reader/read-context.ts'
import type { StoreCall } from '../store-call.ts'
import type { AccessPath } from './access-path.ts'
import type { DocumentReadContext } from './document-read-context.ts'
import { queryFirstRow } from './run-statement.ts'

/** Ids read between two turns of the event loop. */
export const idRangeSize = 512

/**
 * Reads a whole list in the order of ids, `idRangeSize` ids at a time, whether or not the items
 * satisfy the rest of the condition, so that no turn of the event loop takes long.
 */
export async function* listByIdRange(
  documents: DocumentReadContext,
  readContext: ReadContext<AccessPath>,
  model: ModelDescription,
  plan: QueryPlan,
  call: StoreCall | undefined,
): AsyncGenerator<readonly StoredItem[]> {
  for (const rangePlan of splitByIdRange(documents, model, plan)) {
    yield* listById(readContext, model, rangePlan, call)
    await yieldToEventLoop(call)
  }
}

/** Is it a whole list in the order of ids? */
export function isWholeListById({ sort, pageRange }: QueryPlan): boolean {
  return (
    sort.length === 0 &&
    pageRange.kind === 'offset' &&
    pageRange.offset === 0 &&
    pageRange.limit === Number.POSITIVE_INFINITY
  )
}

/** Each range is read before the next one is looked up. */
function* splitByIdRange(
  { connection, queries }: DocumentReadContext,
  model: ModelDescription,
  plan: QueryPlan,
): Generator<QueryPlan> {
  const query = queries.list(model, plan)
  for (let from: string | undefined; ; ) {
    const end = queryFirstRow(connection, query.idRangeEnd(from, idRangeSize))
    const [to, count] = end as [string | null, number]
    if (to === null) return
    const condition = andAlso(plan.condition, idAtMost(to))
    const { limit } = plan.pageRange
    yield from === undefined
      ? { ...plan, condition }
      : { ...plan, condition, pageRange: { kind: 'after', position: [from], limit } }
    if (count < idRangeSize) return
    from = to
  }
}

function idAtMost(id: string): Condition {
  return { kind: 'compare', path: { names: ['id'] }, operator: 'lessThanOrEqual', value: id }
}
