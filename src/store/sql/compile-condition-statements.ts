import type { Condition, SearchCondition } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import { countingCompilation } from './compile-condition.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { allOfSql, trueSql } from './logic.ts'
import { listAlias, sourceSql, whereSql } from './row-source.ts'
import { searchProbeSql } from './search-lookup.ts'
import type { Table } from './table.ts'

/**
 * Counts the rows that satisfy the condition.
 * @param search a part of the condition for which an index of words finds rows
 */
export function compileCount(
  compilation: Compilation,
  table: Table,
  condition: Condition,
  search?: SearchCondition,
): string {
  const conditionSql = countingCompilation(compilation, condition).compileCondition(
    table,
    listAlias,
    condition,
  )
  // Counting all rows reads none of them.
  const where =
    conditionSql === trueSql
      ? ''
      : whereSql(
          allOfSql([
            interruptCheckSql(compilation.dialect, table, listAlias, condition),
            conditionSql,
          ]),
        )
  return `select count(*) from ${sourceSql(compilation, table, search)}${where}`
}

/**
 * The row of the item that satisfies the condition. The condition contains its id, so there is one
 * row at most, and a limit would only cost time.
 * @param expressions over the row (`listAlias`)
 */
export function compileFind(
  compilation: Compilation,
  table: Table,
  condition: Condition,
  expressions: readonly string[],
): string {
  return `select ${expressions.join(', ')} from ${table.sql} ${listAlias}${whereSql(compilation.compileCondition(table, listAlias, condition))}`
}

/** Counts the rows that an index finds for a part of the condition, up to `maxRows`. */
export function compileProbe(
  compilation: Compilation,
  table: Table,
  lookup: Condition,
  maxRows: number,
): string {
  if (lookup.kind === 'search') return searchProbeSql(compilation, table, lookup, maxRows)
  const where = whereSql(compilation.compileCondition(table, listAlias, lookup))
  return `select count(*) from (select 1 from ${table.sql} ${listAlias}${where} limit ${maxRows}) r`
}
