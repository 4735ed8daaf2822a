import type { Condition } from '../../query/query-plan.ts'
import type { Dialect, SearchScope } from './dialect.ts'

/**
 * A condition that stops a long statement on request. It runs more often where texts are searched,
 * because a text may be long.
 * @param column as in `Dialect`
 */
export function interruptCheckSql(
  dialect: Dialect,
  alias: string,
  condition: Condition,
  column?: string,
): string {
  return dialect.interruptCheck(searchScopeOf(condition), alias, column)
}

function searchScopeOf(condition: Condition): SearchScope {
  switch (condition.kind) {
    case 'text':
      return condition.path.names.length > 1 ? 'related' : 'own'
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
