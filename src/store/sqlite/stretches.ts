import type { ModelDescription } from '../../model/description.ts'
import { both } from '../../query/conditions.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import type { Connection } from './connection.ts'
import type { Queries } from './queries.ts'
import { firstRowOf } from './run-statement.ts'

/** Ids looked at between two turns of the event loop. */
export const stretch = 512

/** Cuts a whole list in the order of ids into plans that look at so many ids each, whether items satisfy the condition there or not. */
export interface Stretches {
  of(model: ModelDescription, plan: QueryPlan): Iterable<QueryPlan>
}

export function stretchesOf(connection: Connection, queries: Queries): Stretches {
  const boundary = (model: ModelDescription, from: string | undefined): string | undefined => {
    return firstRowOf(connection, queries.boundary(model, from, stretch))?.[0] as string | undefined
  }
  return {
    *of(model, plan) {
      for (let from: string | undefined; ; ) {
        const to = boundary(model, from)
        const condition = to === undefined ? plan.condition : both(plan.condition, upTo(to))
        const { limit } = plan.window
        yield from === undefined
          ? { ...plan, condition }
          : { ...plan, condition, window: { kind: 'after', position: [from], limit } }
        if (to === undefined) return
        from = to
      }
    },
  }
}

/** Is it a whole list in the order of ids? */
export function isWhole({ sort, window }: QueryPlan): boolean {
  return sort.length === 0 && window.kind === 'slice' && window.skip === 0 && window.limit === Number.POSITIVE_INFINITY
}

function upTo(id: string): Condition {
  return { kind: 'compare', path: { names: ['id'] }, operator: 'lessThanOrEqual', value: id }
}
