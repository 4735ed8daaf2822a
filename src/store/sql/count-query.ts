import type { Condition } from '../../query/query-plan.ts'
import { compileCount } from './compile-condition-statements.ts'
import type { ReadStrategy } from './read-strategy.ts'
import { searchToLookUp } from './search-lookup.ts'
import { type SqlQuery, sqlQuery } from './sql-query.ts'
import type { PreparedQuery, Statement } from './statement-cache.ts'

export interface CountQuery<S extends ReadStrategy> extends SqlQuery<S> {
  /** @param parametersBefore how many parameters the statement has before this part of it */
  count(parametersBefore?: number): Statement
}

export function countQuery<S extends ReadStrategy>(
  prepared: PreparedQuery<Condition, S>,
): CountQuery<S> {
  return {
    ...sqlQuery(prepared),
    count: (parametersBefore = 0) =>
      prepared.statement(
        parametersBefore === 0 ? 'count' : `count after ${parametersBefore}`,
        (compilation, condition, strategy) =>
          compileCount(compilation, prepared.table, condition, searchToLookUp(strategy)),
        undefined,
        parametersBefore,
      ),
  }
}
