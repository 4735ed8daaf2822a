import { type ModelRule, relationTargetOf } from './rule.ts'

/**
 * Is the operation always refused with 403? Clients cannot add to or remove from a to-one relation,
 * and cannot replace some to-many relations. JSON:API asks for 403 here, not for 405.
 */
export function isAlwaysRefused(rule: Pick<ModelRule, 'operation' | 'target'>): boolean {
  const { operation } = rule
  const relation = relationTargetOf(rule)?.relation
  if (!relation) return false
  if (operation === 'RelationshipPatch') return relation.kind !== 'toOne' && !relation.isReplaceable
  return (
    relation.kind === 'toOne' &&
    (operation === 'RelationshipPost' || operation === 'RelationshipDelete')
  )
}
