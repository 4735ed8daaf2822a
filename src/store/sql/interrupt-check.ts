import type { Condition } from '../../query/query-plan.ts'
import type { CheckedRow, Dialect, SearchScope } from './dialect.ts'
import type { Table } from './table.ts'

/**
 * A condition that stops a long statement on request. It runs more often where texts are searched,
 * because a text may be long.
 * @param column as in `CheckedRow`
 * @param isOneOfFew as in `CheckedRow`
 */
export function interruptCheckSql(
  dialect: Dialect,
  table: Table,
  alias: string,
  condition: Condition,
  column?: string,
  isOneOfFew = false,
): string {
  const { scanOrder } = table
  const row: CheckedRow = {
    alias,
    ...(scanOrder?.kind === 'number' && { number: `${alias}.${scanOrder.sql}` }),
    ...(column !== undefined && { column }),
    isOneOfFew,
  }
  return dialect.interruptCheck(searchScopeOf(condition), row)
}

function searchScopeOf(condition: Condition): SearchScope {
  switch (condition.kind) {
    case 'text':
      return condition.path.names.length > 1 ? 'related' : 'own'
    case 'search':
      return condition.fields.some(({ path }) => path.names.length > 1) ? 'related' : 'own'
    case 'and':
    case 'or': {
      const scopes = condition.conditions.map(searchScopeOf)
      return scopes.includes('related') ? 'related' : scopes.includes('own') ? 'own' : 'none'
    }
    case 'not':
      return searchScopeOf(condition.condition)
    case 'some':
      return searchScopeOf(condition.condition) === 'none' ? 'none' : 'related'
    default:
      return 'none'
  }
}
