import { isReadOnlyRelation } from '../model/model-description.ts'
import { operations } from './operations.ts'
import { type ModelRule, relationTargetOf } from './rule.ts'

/**
 * Is the operation always refused with 403? Clients cannot add to or remove from a to-one relation,
 * cannot replace some to-many relations, and cannot change read-only ones. JSON:API asks for 403
 * here, not for 405.
 */
export function isAlwaysRefused(rule: Pick<ModelRule, 'operation' | 'target'>): boolean {
  const relation = relationTargetOf(rule)?.relation
  if (!relation) return false
  const change = operations[rule.operation].relationChange
  if (isReadOnlyRelation(relation)) return change !== 'none'
  const isToOne = relation.kind === 'toOne'
  switch (change) {
    case 'replace':
      return !isToOne && !relation.isReplaceable
    case 'add':
    case 'remove':
      return isToOne
    case 'members':
    case 'none':
      return false
  }
}
