import { isHeldByReadOnlyItems } from '../model/relation-kinds.ts'
import { operations } from './operations.ts'
import { type PolicyRule, pathView, relationTargetOf } from './rule.ts'

/** Does the operation write to the address of a read-only model, or change items of one? */
export function writesReadOnlyItems(rule: PolicyRule): boolean {
  if (!operations[rule.operation].changesItems) return false
  const relation = relationTargetOf(rule)?.relation
  return (
    pathView(rule).model.isReadOnly || (relation !== undefined && isHeldByReadOnlyItems(relation))
  )
}
