import { refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import type { RelationField } from '../../model/model-description.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import { type LocalIdLookup, noLocalIds } from './local-ids.ts'
import { isJsonObject, readLinkage, readLinkageErrors } from './read-linkage.ts'

const ownErrors = ['invalid-document'] as const

export const readRelationshipErrors: readonly ErrorCode[] = [...ownErrors, ...readLinkageErrors]

const { refuse } = refusalsOf(ownErrors)

const dataSteps = ['data']

/** Reads `{"data": …}` with the linkage to set, add or remove. */
export function readRelationship(
  document: unknown,
  relation: RelationField,
  locals: LocalIdLookup = noLocalIds,
): ItemPayload {
  if (!isJsonObject(document) || document.data === undefined) {
    const expected =
      relation.kind === 'toOne'
        ? `an identifier object${relation.isOptional ? ' or null' : ''}`
        : 'an array of identifier objects (may be empty)'
    throw refuse('invalid-document', `Expected an object with ${expected} as 'data'.`, {
      pointer: '',
    })
  }
  const problems: Problem[] = []
  const linkage = readLinkage(relation, document.data, dataSteps, locals, problems)
  refuseAll(problems)
  return {
    kind: 'item',
    document,
    steps: dataSteps,
    memberSteps: { values: dataSteps, relations: dataSteps },
    id: undefined,
    values: new Map(),
    relations: new Map(linkage && [[relation.name, linkage]]),
    newId: undefined,
    problems: [],
  }
}
