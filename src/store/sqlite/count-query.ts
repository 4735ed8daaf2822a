import type { Condition } from '../../query/query-plan.ts'
import { compileCount } from '../sql/compile-plan.ts'
import { lookupOf, type SqlQuery, sqlQuery } from './sql-query.ts'
import type { PreparedQuery, Statement } from './statement-cache.ts'

export interface CountQuery extends SqlQuery {
  count(): Statement
}

export function countQuery(asked: PreparedQuery<Condition>): CountQuery {
  return {
    ...sqlQuery(asked),
    count: () =>
      asked.statement('count', (parts, condition, access) =>
        compileCount(parts, asked.table, condition, lookupOf(access).lookup),
      ),
  }
}
