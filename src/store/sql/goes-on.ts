import type { Condition } from '../../query/query-plan.ts'
import type { Dialect, SearchedTexts } from './dialect.ts'

/** Where a statement that may look at many rows is to look whether it shall go on: more often where texts are searched, for one may be long. */
export function goesOnSql(dialect: Dialect, alias: string, condition: Condition): string {
  return dialect.goesOn(searched(condition), alias)
}

function searched(condition: Condition): SearchedTexts {
  switch (condition.kind) {
    case 'text':
      return condition.path.names.length > 1 ? 'related' : 'own'
    case 'and':
    case 'or': {
      const parts = condition.conditions.map(searched)
      return parts.includes('related') ? 'related' : parts.includes('own') ? 'own' : 'none'
    }
    case 'not':
      return searched(condition.condition)
    default:
      return 'none'
  }
}
