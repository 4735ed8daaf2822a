import { refuseAll } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import { deepestExisting, pointer } from '../http/json-pointer.ts'
import type { ManyRelation } from '../model/description.ts'
import type { SentRelation } from '../serializer/sent.ts'
import type { StoredValues } from '../store/stored-item.ts'
import type { BodyJob } from './job.ts'

/**
 * Refuses an update as a whole that would replace what may only be added to and taken from. To send back what is there changes nothing.
 * @throws ApiError `forbidden` for each such relation
 */
export function refuseReplacement({ view, sent }: BodyJob, before: StoredValues, after: Record<string, unknown>): void {
  const problems = view.model.owned.flatMap((relation): readonly Problem[] => {
    if (relation.kind === 'toOne' || relation.replaceable) return []
    if (isSame(before[relation.name], after[relation.name])) return []
    const given = sent.relations.get(relation.name)
    if (given) return [notReplaced(relation, given)]
    return [refusal(relation, deepestExisting(sent.document, sent.places.relations))]
  })
  refuseAll(problems)
}

export function notReplaced(relation: ManyRelation, sent: SentRelation | undefined): Problem {
  return refusal(relation, sent?.kind === 'many' ? pointer(sent.steps) : '')
}

function refusal({ wire }: ManyRelation, at: string): Problem {
  const detail = `'${wire}' cannot be replaced as a whole: add to it, and take from it, at its relationship.`
  return problem('forbidden', detail, { pointer: at })
}

function isSame(before: unknown, after: unknown): boolean {
  const [held, sent] = [
    new Set(before as readonly string[] | undefined),
    new Set(after as readonly string[] | undefined),
  ]
  return held.size === sent.size && [...held].every((id) => sent.has(id))
}
