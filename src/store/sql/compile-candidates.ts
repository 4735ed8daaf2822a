import { conjunctsOf } from '../../query/conditions.ts'
import type { Condition, QueryPlan, SearchCondition } from '../../query/query-plan.ts'
import { isRelevance } from '../../query/sort-keys.ts'
import type { Compilation } from './compilation.ts'
import { decidingCompilation, indexedCompilation, perRowCompilation } from './compile-condition.ts'
import { indexedSearchOf, isOrderedByIndexes, onlyIds, searchesTexts } from './indexed-search.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { allOfSql } from './logic.ts'
import { namedIds } from './named-ids.ts'
import { listAlias, rowsOfIdsSql, whereSql } from './row-source.ts'
import type { Table } from './table.ts'

/**
 * Are the rows that indexes find for a search sorted before the search decides about them? Their
 * relevance costs as much as the decision.
 */
export function isDecidedInOrder(
  { sort }: QueryPlan,
  { lookup, returnsAll }: { readonly lookup?: Condition; readonly returnsAll?: boolean },
): boolean {
  return lookup?.kind === 'search' && !returnsAll && !sort.some(isRelevance)
}

/** How the ids of candidates are read: from this table, or from what an index finds. */
interface CandidateSource {
  readonly table: Table
  readonly lookup?: SearchCondition
  readonly columns: readonly string[]
}

/**
 * The rows of a plan in its order, where indexes find many more than a page has: texts are searched
 * in the order of the list, until the page is full.
 * @param columns of the row (`listAlias`)
 * @param idsOf compiles the ids of the rows of a plan in its order (`namedIds`), all of them
 */
export function compileCandidates(
  compilation: Compilation,
  table: Table,
  plan: QueryPlan,
  lookup: SearchCondition,
  columns: readonly string[],
  idsOf: (plan: QueryPlan, source: CandidateSource) => string,
): string {
  const { dialect } = compilation
  const operands = conjunctsOf(plan.condition)
  const searching = allOf(operands.filter(searchesTexts))
  const others = operands.filter((each) => !searchesTexts(each))
  const indexed = indexedSearchOf(compilation, table, lookup)
  const idColumns = namedIds(dialect, table, listAlias)
  const source: CandidateSource = isOrderedByIndexes(compilation.tableOf, table, plan, lookup)
    ? {
        table: onlyIds(compilation, table, lookup),
        columns: [...idColumns, `${listAlias}.fits`],
      }
    : { table, lookup, columns: indexed ? [...idColumns, indexed.fits] : idColumns }
  const ids = idsOf({ ...plan, condition: allOf(others) }, source)
  const rows = indexedCompilation(
    decidingCompilation(perRowCompilation(compilation)),
    indexed && { ...indexed, fits: 's.fits' },
  )
  const where = allOfSql([
    interruptCheckSql(dialect, table, listAlias, searching),
    rows.compileCondition(table, listAlias, searching),
  ])
  return `select ${columns.join(', ')} from ${rowsOfIdsSql(dialect, table, ids)}${whereSql(where)}`
}

function allOf(conditions: readonly Condition[]): Condition {
  return { kind: 'and', conditions }
}
