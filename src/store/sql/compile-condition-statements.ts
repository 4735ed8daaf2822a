import { conjunctsOf } from '../../query/conditions.ts'
import type { Condition, SearchCondition } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import {
  countingCompilation,
  decidingCompilation,
  indexedCompilation,
  perRowCompilation,
} from './compile-condition.ts'
import { hasOnlyIds, indexedSearchOf, onlyIds } from './indexed-search.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { allOfSql, anyOfSql, existsSql, trueSql } from './logic.ts'
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
  if (search && search === onlyOperand(condition) && hasOnlyIds(compilation.tableOf, table, search))
    return compileIndexedCount(compilation, table, search)
  const conditionSql = indexedCompilation(
    countingCompilation(compilation, condition),
    indexedSearchOf(compilation, table, search),
  ).compileCondition(table, listAlias, condition)
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

/** Counts what indexes find for a search: only rows are read about which they say nothing. */
function compileIndexedCount(
  compilation: Compilation,
  table: Table,
  search: SearchCondition,
): string {
  const ids = onlyIds(compilation, table, search)
  const rows = decidingCompilation(perRowCompilation(compilation))
  const fits = existsSql(
    `${table.sql} ${listAlias}`,
    allOfSql([
      `${table.id(listAlias)} = ${ids.id('g')}`,
      rows.compileCondition(table, listAlias, search),
    ]),
  )
  const check = interruptCheckSql(compilation.dialect, ids, 'g', { kind: 'always' })
  return `select count(*) from ${ids.sql} g${whereSql(allOfSql([check, anyOfSql(['g.fits', fits])]))}`
}

function onlyOperand(condition: Condition): Condition | undefined {
  const operands = conjunctsOf(condition)
  return operands.length === 1 ? operands[0] : undefined
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
