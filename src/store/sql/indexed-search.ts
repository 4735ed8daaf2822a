import { conjunctsOf } from '../../query/conditions.ts'
import type { Condition, QueryPlan, SearchCondition } from '../../query/query-plan.ts'
import { isRelevance } from '../../query/sort-keys.ts'
import type { Compilation, IndexedSearch } from './compilation.ts'
import { isIdPath } from './index-scan.ts'
import { listAlias } from './row-source.ts'
import { saysWhatFits, searchedIdsSql } from './search-lookup.ts'
import type { Table, TableOf } from './table.ts'

/** The search of a lookup, where the rows of `sourceSql` say whether they fit it for certain. */
export function indexedSearchOf(
  { tableOf }: Compilation,
  table: Table,
  lookup: Condition | undefined,
): IndexedSearch | undefined {
  return lookup?.kind === 'search' && saysWhatFits(tableOf, table, lookup)
    ? { search: lookup, fits: 'g.fits' }
    : undefined
}

/** Have indexes all that the order and the conditions of a plan need, other than searches? */
export function isOrderedByIndexes(
  tableOf: TableOf,
  table: Table,
  { condition, sort }: QueryPlan,
  search: SearchCondition,
): boolean {
  return (
    sort.every((key) => !isRelevance(key) && isIdPath(key.path)) &&
    conjunctsOf(condition).every(searchesTexts) &&
    hasOnlyIds(tableOf, table, search)
  )
}

/** Does the condition search texts? That takes longer than to compare values. */
export function searchesTexts(condition: Condition): boolean {
  switch (condition.kind) {
    case 'search':
      return true
    case 'and':
    case 'or':
      return condition.conditions.some(searchesTexts)
    case 'not':
    case 'some':
      return searchesTexts(condition.condition)
    default:
      return false
  }
}

/** Can the ids that indexes find for a search stand for the rows of the table? */
export function hasOnlyIds(tableOf: TableOf, table: Table, search: SearchCondition): boolean {
  const { searchIndex } = table
  return (
    searchIndex?.kind === 'queries' &&
    searchIndex.keepsIdOrder &&
    idColumn(table) !== undefined &&
    saysWhatFits(tableOf, table, search)
  )
}

/**
 * The ids that indexes find for a search in place of the table (`hasOnlyIds`), with `fits` for its
 * other columns: where no more is needed of a row, it is not read.
 */
export function onlyIds(compilation: Compilation, table: Table, search: SearchCondition): Table {
  const ids = searchedIdsSql(compilation, table, search)
  return {
    ...table,
    sql: `(select g.id as ${idColumn(table)}, g.fits from (${ids}) g)`,
    scanOrder: undefined,
    columns: new Map(),
    indexOrders: [],
    leadingFields: new Set(),
  }
}

/** Undefined where the id is not one column as it is. */
function idColumn(table: Table): string | undefined {
  const [id, ...others] = table.idParts(listAlias)
  const prefix = `${listAlias}.`
  return id?.startsWith(prefix) && others.length === 0 ? id.slice(prefix.length) : undefined
}
