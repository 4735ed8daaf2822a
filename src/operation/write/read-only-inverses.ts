import { type Problem, problem } from '../../error/problem.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { InverseField } from '../../model/model-description.ts'
import { andAlso, idIsAnyOf, relatesToAny } from '../../query/conditions.ts'
import type { LinkagePayload } from '../../serializer/payload.ts'
import type { StoreReader } from '../../store/store.ts'
import { maxIdsPerQuery } from '../fetch-by-ids.ts'
import type { PayloadOperationInput } from '../operation-input.ts'

/**
 * What is wrong with inverse relations that were sent where they cannot be written: only what is
 * there, as far as the caller may see it, can be sent back, in any order. To pass over anything
 * else would lose it without a word.
 * @param ownerId undefined for a new item, which nothing relates to yet
 */
export async function readOnlyInverseProblems(
  reader: StoreReader,
  job: PayloadOperationInput,
  ownerId: string | undefined,
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const relation of job.view.model.relations) {
    const sent = relation.kind === 'inverse' && job.payload.readOnlyRelations?.get(relation.name)
    if (sent && !(await isUnchanged(reader, job, ownerId, relation, sent)))
      problems.push(readOnlyProblem(relation, sent))
  }
  return problems
}

async function isUnchanged(
  reader: StoreReader,
  { guards, context }: PayloadOperationInput,
  ownerId: string | undefined,
  { relatedModel, inverseOf }: InverseField,
  sent: LinkagePayload,
): Promise<boolean> {
  const ids = sent.kind === 'many' ? sent.ids.map((id) => id.value) : []
  if (ownerId === undefined) return ids.length === 0
  const related = andAlso(
    relatesToAny(inverseOf.name, inverseOf.kind, [ownerId]),
    guards.readCondition(relatedModel, context),
  )
  if ((await reader.count(relatedModel, related)) !== ids.length) return false
  for (let start = 0; start < ids.length; start += maxIdsPerQuery) {
    const some = ids.slice(start, start + maxIdsPerQuery)
    if ((await reader.count(relatedModel, andAlso(idIsAnyOf(some), related))) !== some.length)
      return false
  }
  return true
}

function readOnlyProblem(
  { wireName, relatedModel, inverseOf }: InverseField,
  sent: LinkagePayload,
): Problem {
  const steps = sent.kind === 'one' ? sent.id.steps : sent.steps
  return problem(
    'invalid-member',
    `'${wireName}' can only be sent back as it is, or left out: it is written from the other side, as '${inverseOf.wireName}' of the ${relatedModel.plural}.`,
    { pointer: formatPointer(steps) },
  )
}
