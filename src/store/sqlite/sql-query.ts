import type { Condition } from '../../query/query-plan.ts'
import type { AccessPath } from '../sql/access-path.ts'
import { compileProbe } from '../sql/compile-plan.ts'
import type { PreparedQuery, Statement } from './statement-cache.ts'

/** A query of one collection with its access path. */
export interface SqlQuery {
  readonly kind: AccessPath['kind']
  /** The maximum number of rows that an index lookup finds. */
  readonly maxRows: number
  /** Counts the rows of the index lookup, up to one beyond the limit. */
  probe(limit: number): Statement
}

export function sqlQuery<Q>({ kind, maxRows, table, statement }: PreparedQuery<Q>): SqlQuery {
  return {
    kind,
    maxRows,
    probe: (limit) =>
      statement(`probe ${limit}`, (compilation, _, access) =>
        compileProbe(compilation, table, lookupOf(access).lookup!, limit + 1),
      ),
  }
}

export function lookupOf(access: AccessPath): { lookup?: Condition } {
  return access.kind === 'indexLookup' ? { lookup: access.lookupCondition } : {}
}
