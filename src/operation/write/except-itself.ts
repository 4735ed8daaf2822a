import type { ModelDescription } from '../../model/model-description.ts'
import { andAlso, idEquals, negate } from '../../query/conditions.ts'
import type { Condition } from '../../query/query-plan.ts'
import { relatedModelAt } from '../../store/resolve-path.ts'

/**
 * The condition without the written item among the related items that it looks at. Else whoever
 * writes a membership in a team would be let in by this very membership.
 */
export function exceptItself(condition: Condition, model: ModelDescription, id: string): Condition {
  switch (condition.kind) {
    case 'and':
    case 'or':
      return {
        ...condition,
        conditions: condition.conditions.map((operand) => exceptItself(operand, model, id)),
      }
    case 'not':
      return { kind: 'not', condition: exceptItself(condition.condition, model, id) }
    case 'some':
      return relatedModelAt(model, condition.path) === model
        ? { ...condition, condition: andAlso(condition.condition, negate(idEquals(id))) }
        : condition
    default:
      return condition
  }
}
