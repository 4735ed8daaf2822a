import type { ModelDescription } from '../model/model-description.ts'
import type { Condition, FieldPath, SortKey, TextOperator } from '../query/query-plan.ts'
import { resolvePath } from '../store/resolve-path.ts'

/** What filters compare, as `RequestSize` has it. */
export interface ConditionCounts {
  readonly conditions: number
  readonly relatedConditions: number
  readonly textSearches: number
}

const searches: ReadonlySet<TextOperator> = new Set([
  'contains',
  'containsIgnoringCase',
  'endsWith',
  'like',
])

/** @param model the model of the items that the condition is about */
export function countConditions(model: ModelDescription, condition: Condition): ConditionCounts {
  const counts = { conditions: 0, relatedConditions: 0, textSearches: 0 }
  const add = (part: Condition): void => {
    switch (part.kind) {
      case 'always':
      case 'never':
        return
      case 'and':
      case 'or':
        part.conditions.forEach(add)
        return
      case 'not':
        add(part.condition)
        return
      default:
        counts.conditions += 'values' in part ? Math.max(1, part.values.length) : 1
        if (isRelated(model, part.path, part.kind === 'members')) counts.relatedConditions++
        if (part.kind === 'text' && searches.has(part.operator)) counts.textSearches++
    }
  }
  add(condition)
  return counts
}

export function countSortRelations(model: ModelDescription, sort: readonly SortKey[]): number {
  return sort.filter(({ path }) => isRelated(model, path, false)).length
}

/** Does a statement need further tables for it? The id of a related item is in the item itself. */
function isRelated(model: ModelDescription, path: FieldPath, isOfMembers: boolean): boolean {
  const { hops, leaf } = resolvePath(model, path)
  return hops.length > 0 || (isOfMembers && leaf.kind !== 'value')
}
