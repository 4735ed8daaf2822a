import { refuseAll } from '../../error/api-error.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { findDeepestExisting, formatPointer } from '../../http/json/json-pointer.ts'
import type { ManyRelation } from '../../model/model-description.ts'
import type { LinkagePayload } from '../../serializer/payload.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import { sentValue } from './sent-member.ts'

export const replacementErrors = ['forbidden'] as const

const { problem } = refusalsOf(replacementErrors)

/**
 * Refuses an update that replaces a relation which only allows adding and removing. Sending the
 * current ids that the caller sees is allowed.
 * @throws ApiError `forbidden` for each such relation
 */
export function refuseReplacement(
  { view, payload }: PayloadOperationInput,
  stored: StoredValues,
  seenValues: StoredValues,
  members: Record<string, unknown>,
): void {
  const problems = view.model.ownedRelations.flatMap((relation): readonly Problem[] => {
    if (relation.kind === 'toOne' || relation.isReplaceable) return []
    const { name } = relation
    const linkage = payload.relations.get(name)
    if (linkage)
      return isSameSet(seenValues[name], sentValue(linkage))
        ? []
        : [replacementForbidden(relation, linkage)]
    if (isSameSet(stored[name], members[name])) return []
    return [
      replacementProblem(
        relation,
        findDeepestExisting(payload.document, payload.memberSteps.relations),
      ),
    ]
  })
  refuseAll(problems)
}

export function replacementForbidden(
  relation: ManyRelation,
  linkage: LinkagePayload | undefined,
): Problem {
  return replacementProblem(relation, linkage?.kind === 'many' ? formatPointer(linkage.steps) : '')
}

function replacementProblem({ wireName }: ManyRelation, pointer: string): Problem {
  const detail = `'${wireName}' cannot be replaced. Add or remove items with POST and DELETE at its relationship.`
  return problem('forbidden', detail, { pointer })
}

function isSameSet(before: unknown, after: unknown): boolean {
  const [beforeIds, linkage] = [
    new Set(before as readonly string[] | null | undefined),
    new Set(after as readonly string[] | null | undefined),
  ]
  return beforeIds.size === linkage.size && [...beforeIds].every((id) => linkage.has(id))
}
