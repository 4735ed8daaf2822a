import { refuse, refuseAll } from '../../error/api-error.ts'
import type { Problem } from '../../error/problem.ts'
import type { RelationField } from '../../model/description.ts'
import type { SentItem } from '../../serializer/sent.ts'
import { type Locals, noLocals } from './locals.ts'
import { isObject, readLinkage } from './read-linkage.ts'

const steps = ['data']

/** Reads `{"data": …}` with what a relationship is to hold, to gain or to lose. */
export function readRelationship(document: unknown, relation: RelationField, locals: Locals = noLocals): SentItem {
  if (!isObject(document) || document.data === undefined) {
    const expected =
      relation.kind === 'toOne' ? 'an identifier object or null' : 'an array of identifier objects, maybe empty'
    throw refuse('invalid-document', `Expected is an object whose member 'data' is ${expected}.`, { pointer: '' })
  }
  const problems: Problem[] = []
  const linkage = readLinkage(relation, document.data, steps, locals, problems)
  refuseAll(problems)
  return {
    document,
    steps,
    places: { values: steps, relations: steps },
    id: undefined,
    values: new Map(),
    relations: new Map(linkage && [[relation.name, linkage]]),
    newId: undefined,
    faults: [],
  }
}
