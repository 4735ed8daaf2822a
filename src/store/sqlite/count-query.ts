import type { Condition } from '../../query/query-plan.ts'
import { compileCount } from '../sql/compile-plan.ts'
import { lookupOf, type SqlQuery, sqlQuery } from './sql-query.ts'
import type { PreparedQuery, Statement } from './statement-cache.ts'

export interface CountQuery extends SqlQuery {
  count(): Statement
}

export function countQuery(prepared: PreparedQuery<Condition>): CountQuery {
  return {
    ...sqlQuery(prepared),
    count: () =>
      prepared.statement('count', (compilation, condition, access) =>
        compileCount(compilation, prepared.table, condition, lookupOf(access).lookup),
      ),
  }
}
