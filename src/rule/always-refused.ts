import { type ModelRule, relationTargetOf } from './rule.ts'

/**
 * Is the operation refused (403) whatever is sent? To a relation to one item nothing is added, and
 * nothing taken from it; some relations to many are never replaced as a whole. JSON:API wants these
 * requests answered so, and not with 405.
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
