import type { ModelDescription } from '../model/model-description.ts'
import type { Condition, FieldPath, SortKey, TextOperator } from '../query/query-plan.ts'
import { sortPathsIn } from '../query/sort-keys.ts'
import { relatedModelAt, resolvePath } from '../store/resolve-path.ts'

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
  const add = (model: ModelDescription, part: Condition, isOfRelated: boolean): void => {
    switch (part.kind) {
      case 'always':
      case 'never':
        return
      case 'and':
      case 'or':
        for (const operand of part.conditions) add(model, operand, isOfRelated)
        return
      case 'not':
        add(model, part.condition, isOfRelated)
        return
      case 'some': {
        const before = counts.conditions
        add(relatedModelAt(model, part.path), part.condition, true)
        if (counts.conditions > before) return
        // Whether there is any related item is a condition too.
        counts.conditions++
        counts.relatedConditions++
        return
      }
      case 'search': {
        const texts = part.fields.length
        counts.conditions += part.terms.length * texts
        counts.textSearches += texts
        counts.relatedConditions += part.fields.filter(({ path }) =>
          isRelated(model, path, false),
        ).length
        return
      }
      default:
        counts.conditions += 'values' in part ? Math.max(1, part.values.length) : 1
        if (isOfRelated || isRelated(model, part.path, part.kind === 'members'))
          counts.relatedConditions++
        if (part.kind === 'text' && searches.has(part.operator)) counts.textSearches++
    }
  }
  add(model, condition, false)
  return counts
}

export function countSortRelations(model: ModelDescription, sort: readonly SortKey[]): number {
  return sort.flatMap(sortPathsIn).filter((path) => isRelated(model, path, false)).length
}

/** Does a statement need further tables for it? The id of a related item is in the item itself. */
function isRelated(model: ModelDescription, path: FieldPath, isOfMembers: boolean): boolean {
  const { hops, leaf } = resolvePath(model, path)
  return hops.length > 0 || (isOfMembers && leaf.kind !== 'value')
}
