import { isReadOnlyRelation } from '../model/relation-kinds.ts'
import { operations } from './operations.ts'
import { type ModelRule, relationTargetOf } from './rule.ts'

/**
 * Does the relation refuse the change, whatever is sent? Clients cannot add to or remove from
 * to-one relations and read-only ones, and cannot replace some to-many relations. JSON:API wants
 * 403, not 405.
 */
export function refusesRelationChange(rule: Pick<ModelRule, 'operation' | 'target'>): boolean {
  const relation = relationTargetOf(rule)?.relation
  if (!relation) return false
  const change = operations[rule.operation].relationChange
  const isToOne = relation.kind === 'toOne'
  // Clients may replace a read-only relation with what it holds.
  if (isReadOnlyRelation(relation)) return change === 'add' || change === 'remove'
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
