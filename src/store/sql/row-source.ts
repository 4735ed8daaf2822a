import type { Condition } from '../../query/query-plan.ts'
import type { Compilation } from './compilation.ts'
import type { Dialect } from './dialect.ts'
import { trueSql } from './logic.ts'
import { namedIdIn, namedIds } from './named-ids.ts'
import { candidateRowsSql } from './search-candidates.ts'
import { searchedIdsSql } from './search-lookup.ts'
import type { Table } from './table.ts'

/** The alias of the listed table in every statement. */
export const listAlias = 't'

export function whereSql(condition: string): string {
  return condition === trueSql ? '' : ` where ${condition}`
}

/** The table, or its rows that an index finds for this part of the condition. */
export function sourceSql(
  compilation: Compilation,
  table: Table,
  lookup: Condition | undefined,
): string {
  if (!lookup) return `${table.sql} ${listAlias}`
  const candidates =
    lookup.kind === 'search' ? candidateRowsSql(compilation, table, lookup, 'f.*') : undefined
  if (candidates) return `(${candidates.sql} ${candidates.fence}) ${listAlias}`
  const { dialect } = compilation
  return dialect.joinInOrder(
    `(${lookupIdsSql(compilation, table, lookup)}) g`,
    `${table.sql} ${listAlias}`,
    `${table.id(listAlias)} = ${namedIdIn(dialect, table, 'g')}`,
  )
}

function lookupIdsSql(compilation: Compilation, table: Table, lookup: Condition): string {
  if (lookup.kind === 'search') return searchedIdsSql(compilation, table, lookup)
  const ids = namedIds(compilation.dialect, table, 'f')
  const isInLookup = compilation.compileCondition(table, 'f', lookup)
  return `select ${ids.join(', ')} from ${table.sql} f${whereSql(isInLookup)}`
}

/** The rows with the ids that a query has under their names (`namedIds`), in its order. */
export function rowsOfIdsSql(dialect: Dialect, table: Table, ids: string): string {
  return dialect.joinByIndex(
    `(${ids}) s`,
    table.sql,
    listAlias,
    `${table.id(listAlias)} = ${namedIdIn(dialect, table, 's')}`,
  )
}
