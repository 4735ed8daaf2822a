import type { Condition } from '../../query/query-plan.ts'
import type { AccessPath } from '../sql/access-path.ts'
import { compileProbe } from '../sql/compile-plan.ts'
import type { PreparedQuery, Statement } from './statement-cache.ts'

/** What is asked of one collection, of which it is known how much there is to look at. */
export interface SqlQuery {
  readonly kind: AccessPath['kind']
  /** How many rows there are to gather at most. */
  readonly maxRows: number
  /** Counts the rows to gather, but not far beyond the limit. */
  probe(limit: number): Statement
}

export function sqlQuery<Q>({ kind, maxRows, table, statement }: PreparedQuery<Q>): SqlQuery {
  return {
    kind,
    maxRows,
    probe: (limit) =>
      statement(`probe ${limit}`, (parts, _, access) =>
        compileProbe(parts, table, lookupOf(access).lookup!, limit + 1),
      ),
  }
}

export function lookupOf(access: AccessPath): { lookup?: Condition } {
  return access.kind === 'gather' ? { lookup: access.lookupCondition } : {}
}
