import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { InverseField } from '../../model/model-description.ts'
import { isReadOnlyRelation } from '../../model/relation-kinds.ts'
import type { LinkagePayload } from '../../serializer/payload.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import { isUnchangedInverse } from './unchanged-inverse.ts'

export const readOnlyInverseErrors = ['invalid-member'] as const

const { problem } = refusalsOf(readOnlyInverseErrors)

/**
 * Problems of inverse relations in a payload that cannot write them. A client may send the current
 * ids that it can see, in any order. Ignoring anything else would lose a change silently.
 * @param ownerId undefined for a new item, to which nothing relates yet
 */
export async function readOnlyInverseProblems(
  reader: StoreReader,
  input: PayloadOperationInput,
  ownerId: string | undefined,
): Promise<Problem[]> {
  const problems: Problem[] = []
  for (const relation of input.view.model.relations) {
    const linkage =
      relation.kind === 'inverse' && input.payload.readOnlyRelations?.get(relation.name)
    if (linkage && !(await isUnchangedInverse(reader, input, ownerId, relation, linkage)))
      problems.push(readOnlyProblem(relation, linkage))
  }
  return problems
}

function readOnlyProblem(relation: InverseField, linkage: LinkagePayload): Problem {
  const { wireName, relatedModel, inverseOf } = relation
  const otherSide = isReadOnlyRelation(relation)
    ? ''
    : ` Set '${inverseOf.wireName}' of the ${relatedModel.plural} instead.`
  const steps = linkage.kind === 'one' ? linkage.id.steps : linkage.steps
  return problem(
    'invalid-member',
    `'${wireName}' is read-only here: send it unchanged or omit it.${otherSide}`,
    { pointer: formatPointer(steps) },
  )
}
