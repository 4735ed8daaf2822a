import { refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { findDeepestExisting, formatPointer } from '../../http/json/json-pointer.ts'
import type { ManyRelation } from '../../model/model-description.ts'
import type { LinkagePayload } from '../../serializer/payload.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { PayloadOperationInput } from '../operation-input.ts'

/**
 * Refuses an update as a whole that would replace what may only be added to and taken from. To send
 * back what is there changes nothing.
 * @throws ApiError `forbidden` for each such relation
 */
export function refuseReplacement(
  { view, payload }: PayloadOperationInput,
  before: StoredValues,
  after: Record<string, unknown>,
): void {
  const problems = view.model.ownedRelations.flatMap((relation): readonly Problem[] => {
    if (relation.kind === 'toOne' || relation.isReplaceable) return []
    if (isSameSet(before[relation.name], after[relation.name])) return []
    const given = payload.relations.get(relation.name)
    if (given) return [replacementForbidden(relation, given)]
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
  sent: LinkagePayload | undefined,
): Problem {
  return replacementProblem(relation, sent?.kind === 'many' ? formatPointer(sent.steps) : '')
}

function replacementProblem({ wireName }: ManyRelation, at: string): Problem {
  const detail = `'${wireName}' cannot be replaced as a whole: add to it, and take from it, at its relationship.`
  return problem('forbidden', detail, { pointer: at })
}

function isSameSet(before: unknown, after: unknown): boolean {
  const [held, sent] = [
    new Set(before as readonly string[] | undefined),
    new Set(after as readonly string[] | undefined),
  ]
  return held.size === sent.size && [...held].every((id) => sent.has(id))
}
