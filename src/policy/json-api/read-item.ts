import { hasReachedMaxProblems, refuse, refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import { createId } from '../../model/id.ts'
import {
  type FieldDescription,
  isRelation,
  type RelationField,
} from '../../model/model-description.ts'
import {
  isReadable,
  type ModelView,
  withAddedNames,
  writableField,
} from '../../model/model-view.ts'
import type { ItemPayload, LinkagePayload, PayloadValue, Steps } from '../../serializer/payload.ts'
import type { Purpose } from '../../serializer/serializer.ts'
import { withoutAtMembers } from './at-members.ts'
import { type LocalIdLookup, noLocalIds, singleLocalId } from './local-ids.ts'
import { readId } from './read-id.ts'
import { isJsonObject, readLinkage, typeMismatch } from './read-linkage.ts'

type Members = Readonly<Record<string, unknown>>

const dataSteps: Steps = ['data']
const memberSteps = {
  values: ['data', 'attributes'],
  relations: ['data', 'relationships'],
} as const

/**
 * Reads `{"data": {"type": …, "attributes": …, "relationships": …}}` (JSON:API 1.1, creating and
 * updating resources).
 * @param locals what lids stand for; unless given, that of the new resource itself, if it has one
 */
export function readItem(
  document: unknown,
  view: ModelView,
  purpose: Purpose,
  locals: LocalIdLookup = ownLocalIds(document, view, purpose),
): ItemPayload {
  const data = readResourceObject(document)
  const problems: Problem[] = []
  const faults: Problem[] = []
  readType(data, view, problems)
  const id = readItemId(data, view, purpose, locals, problems)
  const values = readAttributes(data, view, problems, faults)
  const relations = readRelationships(data, view, locals, problems, faults)
  if (problems.length > 0) refuseAll([...problems, ...faults])
  const own =
    purpose === 'create' && typeof data.lid === 'string'
      ? locals(view.model.plural, data.lid)
      : undefined
  const newId = own?.kind === 'known' ? own.id : undefined
  return {
    document,
    steps: dataSteps,
    memberSteps,
    id,
    values,
    relations,
    newId,
    keepsNulls: true,
    problems: faults,
  }
}

function ownLocalIds(document: unknown, { model }: ModelView, purpose: Purpose): LocalIdLookup {
  const data = isJsonObject(document) ? document.data : undefined
  if (purpose !== 'create' || !isJsonObject(data) || typeof data.lid !== 'string') return noLocalIds
  return singleLocalId(model.plural, data.lid, typeof data.id === 'string' ? data.id : createId())
}

function readResourceObject(document: unknown): Members {
  const expected = "Expected is an object whose member 'data' is one resource object."
  if (!isJsonObject(document) || document.data === undefined)
    throw refuse('invalid-document', expected, { pointer: '' })
  if (!isJsonObject(document.data)) throw refuse('invalid-document', expected, { pointer: '/data' })
  return document.data
}

function readType({ type }: Members, { model }: ModelView, problems: Problem[]): void {
  if (type === undefined)
    problems.push(invalidDocument(`A resource object has a type: "${model.plural}".`, dataSteps))
  else if (typeof type !== 'string')
    problems.push(invalidDocument('A type is text.', [...dataSteps, 'type']))
  // What a resource of another type holds cannot be judged by this model.
  else if (type !== model.plural)
    refuseAll([typeMismatch(type, model.plural, [...dataSteps, 'type'])])
}

function readItemId(
  data: Members,
  { model }: ModelView,
  purpose: Purpose,
  locals: LocalIdLookup,
  problems: Problem[],
): PayloadValue<string> | undefined {
  const { id, lid } = data
  if (lid !== undefined && typeof lid !== 'string')
    problems.push(invalidDocument('A lid is text.', [...dataSteps, 'lid']))
  else if (purpose !== 'create' || (id !== undefined && id !== null)) {
    const value = readId(data, model.plural, dataSteps, locals, problems, 'invalid-document')
    return value === undefined
      ? undefined
      : { value, steps: [...dataSteps, id === undefined ? 'lid' : 'id'] }
  }
  return undefined
}

function readAttributes(
  data: Members,
  view: ModelView,
  problems: Problem[],
  faults: Problem[],
): ReadonlyMap<string, PayloadValue<unknown>> {
  const values = new Map<string, PayloadValue<unknown>>()
  for (const [wire, value, at] of readMembers(data, 'attributes', problems)) {
    if (hasReachedMaxProblems(problems) || hasReachedMaxProblems(faults)) break
    const field = writableField(view, wire)
    if (wire === 'id' || wire === 'type')
      problems.push(invalidDocument(`'${wire}' is no attribute.`, at))
    else if (field?.kind === 'value') {
      if (field.visibility !== 'readOnly')
        values.set(field.name, { value: withoutAtMembers(value), steps: at })
    } else if (field?.kind !== 'hash' && !view.addedMembers.has(wire))
      faults.push(unknownMember(view, 'attribute', wire, at))
  }
  return values
}

function readRelationships(
  data: Members,
  view: ModelView,
  locals: LocalIdLookup,
  problems: Problem[],
  faults: Problem[],
): ReadonlyMap<string, LinkagePayload> {
  const relations = new Map<string, LinkagePayload>()
  for (const [wire, value, at] of readMembers(data, 'relationships', problems)) {
    if (hasReachedMaxProblems(problems) || hasReachedMaxProblems(faults)) break
    const field = writableRelation(view, wire)
    if (!field) {
      faults.push(unknownMember(view, 'relationship', wire, at))
    } else if (!isJsonObject(value) || (value.data === undefined && !hasLinksOnly(field, value))) {
      problems.push(
        invalidDocument(`The relationship '${wire}' is an object with its linkage as 'data'.`, at),
      )
    } else if (value.data !== undefined) {
      const relation = readLinkage(field, value.data, [...at, 'data'], locals, problems)
      if (relation) relations.set(field.name, relation)
    }
  }
  return relations
}

/**
 * A client may send back what it was given, and of an inverse relation it is given the links alone.
 */
function hasLinksOnly({ kind }: RelationField, { links }: Members): boolean {
  return kind === 'inverse' && isJsonObject(links)
}

/** Members that start with @ say nothing to a JSON:API reader (JSON:API 1.1, @-members). */
function* readMembers(
  data: Members,
  name: 'attributes' | 'relationships',
  problems: Problem[],
): Generator<readonly [string, unknown, Steps]> {
  const members = data[name]
  if (members === undefined) return
  if (!isJsonObject(members)) {
    problems.push(invalidDocument(`'${name}' is an object.`, [...dataSteps, name]))
    return
  }
  for (const [wire, value] of Object.entries(members))
    if (!wire.startsWith('@')) yield [wire, value, [...dataSteps, name, wire]]
}

function unknownMember(
  view: ModelView,
  kind: 'attribute' | 'relationship',
  wire: string,
  at: Steps,
): Problem {
  const detail = `The ${view.model.plural} have no ${kind} '${truncate(wire)}'; ${describeAlternative(view, kind, wire)}.`
  return problem(isResource(view, kind, wire) ? 'invalid-resource' : 'unknown-member', detail, {
    pointer: formatPointer(at),
  })
}

/** An attribute in the name of a binary resource, which is a link here. */
function isResource(view: ModelView, kind: 'attribute' | 'relationship', wire: string): boolean {
  const field = writableField(view, wire)
  return kind === 'attribute' && field?.kind === 'resource' && isReadable(view, field)
}

/** What it is instead, or else what there is, as far as a client may know of it. */
function describeAlternative(
  view: ModelView,
  kind: 'attribute' | 'relationship',
  wire: string,
): string {
  const other = writableField(view, wire)
  if (other?.kind === 'value') return 'it is one of their attributes'
  if (other?.kind === 'resource' && isReadable(view, other))
    return 'it is a binary resource of theirs, which is set at its own address'
  if (writableRelation(view, wire)) return 'it is one of their relationships'
  const fields = view.model.fields.filter((field) => isReadable(view, field))
  const names =
    kind === 'attribute'
      ? withAddedNames(view, namesOf(fields.filter((field) => field.kind === 'value')))
      : namesOf(fields.filter(isRelation))
  return `they have ${names.join(', ') || 'none'}`
}

function namesOf(fields: readonly FieldDescription[]): readonly string[] {
  return fields.map((field) => field.wireName)
}

function writableRelation(view: ModelView, wire: string): RelationField | undefined {
  const field = writableField(view, wire)
  return field && isRelation(field) ? field : undefined
}

function invalidDocument(detail: string, at: Steps): Problem {
  return problem('invalid-document', detail, { pointer: formatPointer(at) })
}
