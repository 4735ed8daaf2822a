import type { Condition } from '../../query/query-plan.ts'
import type { Dialect, SearchScope } from './dialect.ts'

/**
 * Where a statement that may look at many rows is to look whether it shall go on: more often where
 * texts are searched, for one may be long.
 */
export function interruptCheckSql(dialect: Dialect, alias: string, condition: Condition): string {
  return dialect.interruptCheck(searchScopeOf(condition), alias)
}

function searchScopeOf(condition: Condition): SearchScope {
  switch (condition.kind) {
    case 'text':
      return condition.path.names.length > 1 ? 'related' : 'own'
    case 'and':
    case 'or': {
      const parts = condition.conditions.map(searchScopeOf)
      return parts.includes('related') ? 'related' : parts.includes('own') ? 'own' : 'none'
    }
    case 'not':
      return searchScopeOf(condition.condition)
    default:
      return 'none'
  }
}
