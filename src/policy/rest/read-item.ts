import { hasReachedMaxProblems, refuse, refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { RelationField } from '../../model/model-description.ts'
import { isReadable, type ModelView, readableNames, writableField } from '../../model/model-view.ts'
import type { ItemPayload, LinkagePayload, PayloadValue, Steps } from '../../serializer/payload.ts'
import type { Purpose } from '../../serializer/serializer.ts'

/**
 * Reads `{"book": {…}}`. Members that the service keeps itself are passed over, members that do not
 * exist are named together with values that do not fit.
 */
export function readItem(document: unknown, view: ModelView, purpose: Purpose): ItemPayload {
  const { name } = view.model
  const item = unwrapItem(document, name)
  const steps: Steps = [name]
  const problems: Problem[] = []
  const faults: Problem[] = []
  const values = new Map<string, PayloadValue<unknown>>()
  const relations = new Map<string, LinkagePayload>()
  const unwritten = new Map<string, LinkagePayload>()
  let id: PayloadValue<string> | undefined
  for (const [wire, value] of Object.entries(item)) {
    if (hasReachedMaxProblems(problems) || hasReachedMaxProblems(faults)) break
    const at = [...steps, wire]
    if (wire === 'id') {
      id = readId(value, at, purpose, problems)
      continue
    }
    const field = writableField(view, wire)
    if (!field || (field.kind === 'resource' && !isReadable(view, field))) {
      if (!view.addedMembers.has(wire)) faults.push(unknownMember(view, wire, at))
    } else if (field.kind === 'value') {
      if (field.visibility !== 'readOnly') values.set(field.name, { value, steps: at })
    } else if (field.kind === 'resource') {
      values.set(field.name, { value, steps: at })
    } else if (field.kind !== 'hash') {
      const relation = readRelation(field, value, at, problems)
      if (relation) (field.kind === 'inverse' ? unwritten : relations).set(field.name, relation)
    }
  }
  if (problems.length > 0) refuseAll([...problems, ...faults])
  return {
    document,
    steps,
    memberSteps: { values: steps, relations: steps },
    id,
    values,
    relations,
    readOnlyRelations: unwritten,
    newId: undefined,
    problems: faults,
  }
}

function unwrapItem(document: unknown, name: string): Record<string, unknown> {
  const expected = `The body must be an object with the one member '${name}', an object: {"${name}": {…}}.`
  if (!isObject(document)) throw refuse('invalid-document', expected, { pointer: '' })
  const strays = Object.keys(document).filter((key) => key !== name)
  refuseAll(
    strays.map((key) =>
      problem('invalid-document', `${expected} It must not have '${truncate(key)}'.`, {
        pointer: formatPointer([key]),
      }),
    ),
  )
  if (!Object.hasOwn(document, name)) throw refuse('invalid-document', expected, { pointer: '' })
  const item = document[name]
  if (!isObject(item))
    throw refuse('invalid-document', expected, { pointer: formatPointer([name]) })
  return item
}

function readId(
  value: unknown,
  steps: Steps,
  purpose: Purpose,
  problems: Problem[],
): PayloadValue<string> | undefined {
  if (typeof value === 'string') return { value, steps }
  if (value === null && purpose === 'create') return undefined
  problems.push(problem('invalid-id', 'An id is text.', { pointer: formatPointer(steps) }))
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
    problems.push(
      notIdentifiers(field, value, steps, 'the identifier of one item as text, or null'),
    )
    return undefined
  }
  if (!Array.isArray(value)) {
    problems.push(notIdentifiers(field, value, steps, 'an array of identifiers'))
    return undefined
  }
  const ids = new Map<string, PayloadValue<string>>()
  for (const [index, one] of value.entries()) {
    if (hasReachedMaxProblems(problems)) break
    if (typeof one !== 'string')
      problems.push(
        notIdentifiers(field, one, [...steps, index], 'the identifier of an item as text'),
      )
    else if (!ids.has(one)) ids.set(one, { value: one, steps: [...steps, index] })
  }
  return { kind: 'many', ids: [...ids.values()], steps }
}

function notIdentifiers(
  field: RelationField,
  value: unknown,
  steps: Steps,
  expected: string,
): Problem {
  return problem(
    'invalid-relation',
    `'${field.wireName}' relates to ${field.relatedModel.plural}; expected here is ${expected}${isObject(value) ? ', not the item itself' : ''}.`,
    { pointer: formatPointer(steps) },
  )
}

function unknownMember(view: ModelView, wire: string, steps: Steps): Problem {
  const detail = `The model '${view.model.name}' has no member '${truncate(wire)}'; it has ${readableNames(view).join(', ')}.`
  return problem('unknown-member', detail, { pointer: formatPointer(steps) })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
