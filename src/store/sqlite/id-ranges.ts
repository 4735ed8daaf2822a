import type { ModelDescription } from '../../model/model-description.ts'
import { andAlso } from '../../query/conditions.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { Queries } from '../sql/queries.ts'
import type { AccessPath } from './access-path.ts'
import type { Connection } from './connection.ts'
import { queryFirstRow } from './run-statement.ts'

/** Ids read between two turns of the event loop. */
export const idRangeSize = 512

/**
 * Splits a whole list in the order of ids into plans of `idRangeSize` ids each, whether or not the
 * items satisfy the condition.
 */
export interface IdRanges {
  split(model: ModelDescription, plan: QueryPlan): Iterable<QueryPlan>
}

export function idRanges(connection: Connection, queries: Queries<AccessPath>): IdRanges {
  const lastIdOfRange = (model: ModelDescription, from: string | undefined) =>
    queryFirstRow(connection, queries.idRangeEnd(model, from, idRangeSize))?.[0] as
      | string
      | undefined
  return {
    *split(model, plan) {
      for (let from: string | undefined; ; ) {
        const to = lastIdOfRange(model, from)
        const condition = to === undefined ? plan.condition : andAlso(plan.condition, idAtMost(to))
        const { limit } = plan.pageRange
        yield from === undefined
          ? { ...plan, condition }
          : { ...plan, condition, pageRange: { kind: 'after', position: [from], limit } }
        if (to === undefined) return
        from = to
      }
    },
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

function idAtMost(id: string): Condition {
  return { kind: 'compare', path: { names: ['id'] }, operator: 'lessThanOrEqual', value: id }
}
