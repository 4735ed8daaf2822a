import type { InverseField } from '../model/model-description.ts'
import { isWritable } from '../model/model-view.ts'
import { isReadOnlyRelation } from '../model/relation-kinds.ts'
import { type PolicyRule, relationTargetOf } from './rule.ts'

/**
 * The inverse relations that a request can change, at the related items, which hold them. A policy
 * says whether its items have inverse relations that clients can write.
 */
export function writtenInverses(
  rule: Pick<PolicyRule, 'request' | 'target' | 'view'>,
): readonly InverseField[] {
  const { request, view } = rule
  const relations =
    request.kind === 'linkage'
      ? [relationTargetOf(rule)!.relation]
      : request.kind === 'item' && request.writesInverses
        ? view.model.relations.filter((relation) => isWritable(view, relation))
        : []
  return relations
    .filter((relation) => relation.kind === 'inverse')
    .filter((relation) => !isReadOnlyRelation(relation))
}
