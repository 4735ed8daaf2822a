import { hasReachedMaxProblems, refuseAll } from '../error/api-error.ts'
import type { Problem } from '../error/problem.ts'
import { refusalsOf } from '../error/refusals.ts'
import { truncate } from '../error/truncate.ts'
import { unknownName } from '../error/unknown-name.ts'
import { formatPointer } from '../http/json/json-pointer.ts'
import type { RelationField } from '../model/model-description.ts'
import { isReadable, type ModelView, settableFields, writableField } from '../model/model-view.ts'
import { isReadOnlyRelation } from '../model/relation-kinds.ts'
import type { ItemPayload, LinkagePayload, PayloadValue, Steps } from '../serializer/payload.ts'
import type { Purpose } from '../serializer/serializer.ts'
import { mustBeString } from './must-be-string.ts'

/**
 * The codes of the errors that `readFlatItem` and `readFlatLinkage` can find.
 *
 * ```ts
 * const format: ModelFormat = { ...modelFormat, requestErrors: flatItemErrors }
 * ```
 */
export const flatItemErrors = [
  'invalid-document',
  'unknown-member',
  'invalid-id',
  'invalid-relation',
] as const

const { problem, refuse } = refusalsOf(flatItemErrors)

/**
 * Reads an item whose members and ids of relations stand side by side. It ignores read-only
 * members, except those that the service sets from the request, and reports unknown members
 * together with the issues of validation.
 *
 * ```ts
 * const payload = readFlatItem({ title: 'Dune', author: 'herbert' }, view, 'create')
 * payload.relations.get('author') // { kind: 'one', id: { value: 'herbert', steps: ['author'] } }
 * ```
 *
 * @param steps the path of the item in the document
 * @throws ApiError `invalid-document` if the item is not an object
 */
export function readFlatItem(
  item: unknown,
  view: ModelView,
  purpose: Purpose,
  document: unknown = item,
  steps: Steps = [],
): ItemPayload {
  if (!isObject(item)) {
    const expected = `Expected an object with members of the model '${view.model.name}'.`
    throw refuse('invalid-document', expected, { pointer: formatPointer(steps) })
  }
  const problems: Problem[] = []
  const memberProblems: Problem[] = []
  const values = new Map<string, PayloadValue<unknown>>()
  const relations = new Map<string, LinkagePayload>()
  const readOnlyRelations = new Map<string, LinkagePayload>()
  const readOnlyValues = new Map<string, PayloadValue<unknown>>()
  let id: PayloadValue<string> | undefined
  // Entries would take as much memory again as an object with many members.
  for (const wire of Object.keys(item)) {
    if (hasReachedMaxProblems(problems) || hasReachedMaxProblems(memberProblems)) break
    const value = item[wire]
    const memberSteps = [...steps, wire]
    if (wire === 'id') {
      id = readId(value, memberSteps, purpose, problems)
      continue
    }
    const field = writableField(view, wire)
    if (!field || (field.kind === 'resource' && !isReadable(view, field))) {
      if (!view.addedMembers.has(wire))
        memberProblems.push(unknownMember(view, wire, memberSteps, memberProblems.length))
    } else if (field.kind === 'value') {
      const target = field.visibility === 'readOnly' ? field.from && readOnlyValues : values
      target?.set(field.name, { value, steps: memberSteps })
    } else if (field.kind === 'resource') {
      values.set(field.name, { value, steps: memberSteps })
    } else if (field.kind !== 'hash') {
      const relation = readRelation(field, value, memberSteps, problems)
      if (relation)
        (field.kind === 'inverse' || isReadOnlyRelation(field) ? readOnlyRelations : relations).set(
          field.name,
          relation,
        )
    }
  }
  if (problems.length > 0) refuseAll([...problems, ...memberProblems])
  return {
    kind: 'item',
    document,
    steps,
    memberSteps: { values: steps, relations: steps },
    id,
    values,
    relations,
    readOnlyRelations,
    readOnlyValues,
    newId: undefined,
    problems: memberProblems,
  }
}

/**
 * Reads the ids to set, add or remove in a relation: one id or null, or an array of ids.
 *
 * ```ts
 * const payload = readFlatLinkage(['horror', 'crime'], relation)
 * ```
 *
 * @throws ApiError if the document is not linkage of the relation
 */
export function readFlatLinkage(document: unknown, relation: RelationField): ItemPayload {
  const problems: Problem[] = []
  const linkage = readRelation(relation, document, [], problems)
  refuseAll(problems)
  return {
    kind: 'item',
    document,
    steps: [],
    memberSteps: { values: [], relations: [] },
    id: undefined,
    values: new Map(),
    relations: new Map(linkage && [[relation.name, linkage]]),
    newId: undefined,
    problems: [],
  }
}

function readId(
  value: unknown,
  steps: Steps,
  purpose: Purpose,
  problems: Problem[],
): PayloadValue<string> | undefined {
  if (typeof value === 'string') return { value, steps }
  if (value === null && purpose === 'create') return undefined
  problems.push(problem('invalid-id', mustBeString('id'), { pointer: formatPointer(steps) }))
  return undefined
}

function readRelation(
  field: RelationField,
  value: unknown,
  steps: Steps,
  problems: Problem[],
): LinkagePayload | undefined {
  if (field.kind === 'toOne') {
    if (value === null) return { kind: 'none', steps }
    if (typeof value === 'string') return { kind: 'one', id: { value, steps } }
    const expected = 'the id (a string) of one'
    problems.push(
      invalidRelation(field, value, steps, field.isOptional ? `null or ${expected}` : expected),
    )
    return undefined
  }
  if (!Array.isArray(value)) {
    problems.push(invalidRelation(field, value, steps, 'an array of ids (strings)'))
    return undefined
  }
  const ids = new Map<string, PayloadValue<string>>()
  for (const [index, id] of value.entries()) {
    if (hasReachedMaxProblems(problems)) break
    if (typeof id !== 'string')
      problems.push(invalidRelation(field, id, [...steps, index], 'an array of ids (strings)'))
    else if (!ids.has(id)) ids.set(id, { value: id, steps: [...steps, index] })
  }
  return { kind: 'many', ids: [...ids.values()], steps }
}

function invalidRelation(
  field: RelationField,
  value: unknown,
  steps: Steps,
  expected: string,
): Problem {
  return problem(
    'invalid-relation',
    `'${field.wireName}' must be ${expected} of ${field.relatedModel.plural}${isObject(value) ? ', not an item' : ''}.`,
    { pointer: formatPointer(steps) },
  )
}

function unknownMember(view: ModelView, wire: string, steps: Steps, problemCount: number): Problem {
  const statement = `Unknown member '${truncate(wire)}' of the model '${view.model.name}'`
  const names = settableFields(view)
    .filter(({ kind }) => kind !== 'inverse')
    .map(({ wireName }) => wireName)
  const allowed = view.model.ids === 'server' ? names : ['id', ...names]
  const detail = unknownName(statement, wire, allowed, { problemCount })
  return problem('unknown-member', detail, { pointer: formatPointer(steps) })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
