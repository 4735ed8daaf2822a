import { conjunctsOf } from '../../query/conditions.ts'
import type { Condition, QueryPlan } from '../../query/query-plan.ts'
import { isRelevance } from '../../query/sort-keys.ts'
import type { Compilation } from './compilation.ts'
import { decidingCompilation, perRowCompilation } from './compile-condition.ts'
import { interruptCheckSql } from './interrupt-check.ts'
import { allOfSql } from './logic.ts'
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
  columns: readonly string[],
  idsOf: (plan: QueryPlan) => string,
): string {
  const { dialect } = compilation
  const operands = conjunctsOf(plan.condition)
  const searching = allOf(operands.filter(searches))
  const ids = idsOf({ ...plan, condition: allOf(operands.filter((each) => !searches(each))) })
  const rows = decidingCompilation(perRowCompilation(compilation))
  const where = allOfSql([
    interruptCheckSql(dialect, table, listAlias, searching),
    rows.compileCondition(table, listAlias, searching),
  ])
  return `select ${columns.join(', ')} from ${rowsOfIdsSql(dialect, table, ids)}${whereSql(where)}`
}

function allOf(conditions: readonly Condition[]): Condition {
  return { kind: 'and', conditions }
}

/** Does the condition search texts? That takes longer than to compare values. */
function searches(condition: Condition): boolean {
  switch (condition.kind) {
    case 'search':
      return true
    case 'and':
    case 'or':
      return condition.conditions.some(searches)
    case 'not':
    case 'some':
      return searches(condition.condition)
    default:
      return false
  }
}
