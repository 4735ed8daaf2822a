import { hasReachedMaxProblems, refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import { unknownName } from '../../error/unknown-name.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import { createId } from '../../model/id.ts'
import type { RelationField } from '../../model/model-description.ts'
import {
  isReadable,
  type ModelView,
  settableFields,
  writableField,
} from '../../model/model-view.ts'
import { isReadOnlyRelation, isRelation } from '../../model/relation-kinds.ts'
import type { ItemPayload, LinkagePayload, PayloadValue, Steps } from '../../serializer/payload.ts'
import type { Purpose } from '../../serializer/serializer.ts'
import { mustBeString } from '../must-be-string.ts'
import { withoutAtMembers } from './at-members.ts'
import { type LocalIdLookup, noLocalIds, singleLocalId } from './local-ids.ts'
import { readId } from './read-id.ts'
import { isJsonObject, readLinkage, readLinkageErrors, typeMismatch } from './read-linkage.ts'

const ownErrors = ['invalid-document', 'unknown-member', 'invalid-resource'] as const

export const readItemErrors: readonly ErrorCode[] = [...ownErrors, ...readLinkageErrors]

const { problem, refuse } = refusalsOf(ownErrors)

type Members = Readonly<Record<string, unknown>>

const dataSteps: Steps = ['data']
const memberSteps = {
  values: ['data', 'attributes'],
  relations: ['data', 'relationships'],
} as const

/**
 * Reads `{"data": {"type": …, "attributes": …, "relationships": …}}` (JSON:API 1.1, creating and
 * updating resources).
 * @param locals resolves local ids; by default the local id of the new resource itself
 */
export function readItem(
  document: unknown,
  view: ModelView,
  purpose: Purpose,
  locals: LocalIdLookup = ownLocalIds(document, view, purpose),
): ItemPayload {
  const data = readResourceObject(document)
  const problems: Problem[] = []
  const memberProblems: Problem[] = []
  readType(data, view, problems)
  const id = readItemId(data, view, purpose, locals, problems)
  const attributes = readAttributes(data, view, problems, memberProblems)
  const relationships = readRelationships(data, view, locals, problems, memberProblems)
  if (problems.length > 0) refuseAll([...problems, ...memberProblems])
  const own =
    purpose === 'create' && typeof data.lid === 'string'
      ? locals(view.model.plural, data.lid)
      : undefined
  const newId = own?.kind === 'known' ? own.id : undefined
  return {
    kind: 'item',
    document,
    steps: dataSteps,
    memberSteps,
    id,
    ...attributes,
    ...relationships,
    newId,
    keepsNulls: true,
    problems: memberProblems,
  }
}

function ownLocalIds(document: unknown, { model }: ModelView, purpose: Purpose): LocalIdLookup {
  const data = isJsonObject(document) ? document.data : undefined
  if (purpose !== 'create' || !isJsonObject(data) || typeof data.lid !== 'string') return noLocalIds
  return singleLocalId(model.plural, data.lid, typeof data.id === 'string' ? data.id : createId())
}

function readResourceObject(document: unknown): Members {
  const expected = "Expected an object with one resource object as 'data'."
  if (!isJsonObject(document) || document.data === undefined)
    throw refuse('invalid-document', expected, { pointer: '' })
  if (!isJsonObject(document.data)) throw refuse('invalid-document', expected, { pointer: '/data' })
  return document.data
}

function readType({ type }: Members, { model }: ModelView, problems: Problem[]): void {
  if (type === undefined)
    problems.push(
      invalidDocument(`A resource object needs the 'type' '${model.plural}'.`, dataSteps),
    )
  else if (typeof type !== 'string')
    problems.push(invalidDocument(mustBeString('type'), [...dataSteps, 'type']))
  // This model cannot validate a resource of another type.
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
    problems.push(invalidDocument(mustBeString('lid'), [...dataSteps, 'lid']))
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
  memberProblems: Problem[],
): Required<Pick<ItemPayload, 'values' | 'readOnlyValues'>> {
  const values = new Map<string, PayloadValue<unknown>>()
  const readOnlyValues = new Map<string, PayloadValue<unknown>>()
  for (const [wire, value, steps] of readMembers(data, 'attributes', problems)) {
    if (hasReachedMaxProblems(problems) || hasReachedMaxProblems(memberProblems)) break
    const field = writableField(view, wire)
    if (wire === 'id' || wire === 'type')
      problems.push(
        invalidDocument(
          `'${wire}' must be a member of the resource object, not an attribute.`,
          steps,
        ),
      )
    else if (field?.kind === 'value') {
      const target = field.visibility === 'readOnly' ? field.from && readOnlyValues : values
      target?.set(field.name, { value: withoutAtMembers(value), steps })
    } else if (field?.kind !== 'hash' && !view.addedMembers.has(wire))
      memberProblems.push(unknownMember(view, 'attribute', wire, steps, memberProblems.length))
  }
  return { values, readOnlyValues }
}

function readRelationships(
  data: Members,
  view: ModelView,
  locals: LocalIdLookup,
  problems: Problem[],
  memberProblems: Problem[],
): Required<Pick<ItemPayload, 'relations' | 'readOnlyRelations'>> {
  const relations = new Map<string, LinkagePayload>()
  const readOnlyRelations = new Map<string, LinkagePayload>()
  for (const [wire, value, steps] of readMembers(data, 'relationships', problems)) {
    if (hasReachedMaxProblems(problems) || hasReachedMaxProblems(memberProblems)) break
    const field = writableRelation(view, wire)
    if (!field) {
      memberProblems.push(unknownMember(view, 'relationship', wire, steps, memberProblems.length))
    } else if (!isJsonObject(value) || (value.data === undefined && !hasLinksOnly(field, value))) {
      problems.push(
        invalidDocument(
          `The relationship '${wire}' must be an object with its linkage as 'data'.`,
          steps,
        ),
      )
    } else if (value.data !== undefined) {
      const relation = readLinkage(field, value.data, [...steps, 'data'], locals, problems)
      const target = isReadOnlyRelation(field) ? readOnlyRelations : relations
      if (relation) target.set(field.name, relation)
    }
  }
  return { relations, readOnlyRelations }
}

/** Responses hold inverse relations as links only, and clients may send back what they received. */
function hasLinksOnly({ kind }: RelationField, { links }: Members): boolean {
  return kind === 'inverse' && isJsonObject(links)
}

/** Skips members that start with @ (JSON:API 1.1, @-members). */
function* readMembers(
  data: Members,
  name: 'attributes' | 'relationships',
  problems: Problem[],
): Generator<readonly [string, unknown, Steps]> {
  const members = data[name]
  if (members === undefined) return
  if (!isJsonObject(members)) {
    problems.push(invalidDocument(`'${name}' must be an object.`, [...dataSteps, name]))
    return
  }
  // Entries would take as much memory again as an object with many members.
  for (const wire of Object.keys(members))
    if (!wire.startsWith('@')) yield [wire, members[wire], [...dataSteps, name, wire]]
}

function unknownMember(
  view: ModelView,
  kind: 'attribute' | 'relationship',
  wire: string,
  steps: Steps,
  problemCount: number,
): Problem {
  const statement = `Unknown ${kind} '${truncate(wire)}' of ${view.model.plural}`
  const otherKind = describeOtherKind(view, wire)
  const names = settableFields(view)
    .filter((field) => isRelation(field) === (kind === 'relationship'))
    .map(({ wireName }) => wireName)
  const detail = otherKind
    ? `${statement}; ${otherKind}.`
    : unknownName(statement, wire, names, { problemCount })
  return problem(isResource(view, kind, wire) ? 'invalid-resource' : 'unknown-member', detail, {
    pointer: formatPointer(steps),
  })
}

/** Is this an attribute with the name of a binary resource? Binary resources are links. */
function isResource(view: ModelView, kind: 'attribute' | 'relationship', wire: string): boolean {
  const field = writableField(view, wire)
  return kind === 'attribute' && field?.kind === 'resource' && isReadable(view, field)
}

/** Says what the name is instead, as far as the client may see it. */
function describeOtherKind(view: ModelView, wire: string): string | undefined {
  const other = writableField(view, wire)
  if (other?.kind === 'value') return 'it is an attribute'
  if (other?.kind === 'resource' && isReadable(view, other))
    return 'it is a binary resource; upload it to its own URL'
  return writableRelation(view, wire) && 'it is a relationship'
}

function writableRelation(view: ModelView, wire: string): RelationField | undefined {
  const field = writableField(view, wire)
  return field && isRelation(field) ? field : undefined
}

function invalidDocument(detail: string, steps: Steps): Problem {
  return problem('invalid-document', detail, { pointer: formatPointer(steps) })
}
