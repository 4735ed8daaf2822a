import { hasEnough, refuse, refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { shortened } from '../../error/shortened.ts'
import { pointer } from '../../http/json-pointer.ts'
import type { FieldDescription, RelationField } from '../../model/description.ts'
import { freshId } from '../../model/fresh-id.ts'
import { isRelation } from '../../model/is-relation.ts'
import { isReadable, type ModelView, withAdded, writableField } from '../../model/model-view.ts'
import type { Sent, SentItem, SentRelation, Steps } from '../../serializer/sent.ts'
import type { Purpose } from '../../serializer/serializer.ts'
import { withoutAtMembers } from './at-members.ts'
import { type Locals, noLocals, oneLocal } from './locals.ts'
import { readId } from './read-id.ts'
import { isObject, otherType, readLinkage } from './read-linkage.ts'

type Members = Readonly<Record<string, unknown>>

const steps: Steps = ['data']
const places = { values: ['data', 'attributes'], relations: ['data', 'relationships'] } as const

/**
 * Reads `{"data": {"type": …, "attributes": …, "relationships": …}}` (JSON:API 1.1, creating and updating resources).
 * @param locals what lids stand for; unless given, that of the new resource itself, if it has one
 */
export function readItem(
  document: unknown,
  view: ModelView,
  purpose: Purpose,
  locals: Locals = ownLocals(document, view, purpose),
): SentItem {
  const data = resourceIn(document)
  const problems: Problem[] = []
  const faults: Problem[] = []
  readType(data, view, problems)
  const id = idOf(data, view, purpose, locals, problems)
  const values = readAttributes(data, view, problems, faults)
  const relations = readRelationships(data, view, locals, problems, faults)
  if (problems.length > 0) refuseAll([...problems, ...faults])
  const own = purpose === 'create' && typeof data.lid === 'string' ? locals(view.model.plural, data.lid) : undefined
  const newId = own?.kind === 'known' ? own.id : undefined
  return { document, steps, places, id, values, relations, newId, keepsNulls: true, faults }
}

function ownLocals(document: unknown, { model }: ModelView, purpose: Purpose): Locals {
  const data = isObject(document) ? document.data : undefined
  if (purpose !== 'create' || !isObject(data) || typeof data.lid !== 'string') return noLocals
  return oneLocal(model.plural, data.lid, typeof data.id === 'string' ? data.id : freshId())
}

function resourceIn(document: unknown): Members {
  const expected = "Expected is an object whose member 'data' is one resource object."
  if (!isObject(document) || document.data === undefined) throw refuse('invalid-document', expected, { pointer: '' })
  if (!isObject(document.data)) throw refuse('invalid-document', expected, { pointer: '/data' })
  return document.data
}

function readType({ type }: Members, { model }: ModelView, problems: Problem[]): void {
  if (type === undefined) problems.push(wrong(`A resource object has a type: "${model.plural}".`, steps))
  else if (typeof type !== 'string') problems.push(wrong('A type is text.', [...steps, 'type']))
  // What a resource of another type holds cannot be judged by this model.
  else if (type !== model.plural) refuseAll([otherType(type, model.plural, [...steps, 'type'])])
}

function idOf(
  data: Members,
  { model }: ModelView,
  purpose: Purpose,
  locals: Locals,
  problems: Problem[],
): Sent<string> | undefined {
  const { id, lid } = data
  if (lid !== undefined && typeof lid !== 'string') problems.push(wrong('A lid is text.', [...steps, 'lid']))
  else if (purpose !== 'create' || (id !== undefined && id !== null)) {
    const value = readId(data, model.plural, steps, locals, problems, 'invalid-document')
    return value === undefined ? undefined : { value, steps: [...steps, id === undefined ? 'lid' : 'id'] }
  }
  return undefined
}

function readAttributes(
  data: Members,
  view: ModelView,
  problems: Problem[],
  faults: Problem[],
): ReadonlyMap<string, Sent<unknown>> {
  const values = new Map<string, Sent<unknown>>()
  for (const [wire, value, at] of membersOf(data, 'attributes', problems)) {
    if (hasEnough(problems) || hasEnough(faults)) break
    const field = writableField(view, wire)
    if (wire === 'id' || wire === 'type') problems.push(wrong(`'${wire}' is no attribute.`, at))
    else if (field?.kind === 'value') {
      if (field.visibility !== 'readOnly') values.set(field.name, { value: withoutAtMembers(value), steps: at })
    } else if (field?.kind !== 'hash' && !view.adds.has(wire)) faults.push(unknown(view, 'attribute', wire, at))
  }
  return values
}

function readRelationships(
  data: Members,
  view: ModelView,
  locals: Locals,
  problems: Problem[],
  faults: Problem[],
): ReadonlyMap<string, SentRelation> {
  const relations = new Map<string, SentRelation>()
  for (const [wire, value, at] of membersOf(data, 'relationships', problems)) {
    if (hasEnough(problems) || hasEnough(faults)) break
    const field = writableRelation(view, wire)
    if (!field) {
      faults.push(unknown(view, 'relationship', wire, at))
    } else if (!isObject(value) || (value.data === undefined && !isAsSent(field, value))) {
      problems.push(wrong(`The relationship '${wire}' is an object with its linkage as 'data'.`, at))
    } else if (value.data !== undefined) {
      const relation = readLinkage(field, value.data, [...at, 'data'], locals, problems)
      if (relation) relations.set(field.name, relation)
    }
  }
  return relations
}

/** A client may send back what it was given, and of an inverse relation it is given the links alone. */
function isAsSent({ kind }: RelationField, { links }: Members): boolean {
  return kind === 'inverse' && isObject(links)
}

/** Members that start with @ say nothing to a JSON:API reader (JSON:API 1.1, @-members). */
function* membersOf(
  data: Members,
  name: 'attributes' | 'relationships',
  problems: Problem[],
): Generator<readonly [string, unknown, Steps]> {
  const members = data[name]
  if (members === undefined) return
  if (!isObject(members)) {
    problems.push(wrong(`'${name}' is an object.`, [...steps, name]))
    return
  }
  for (const [wire, value] of Object.entries(members))
    if (!wire.startsWith('@')) yield [wire, value, [...steps, name, wire]]
}

function unknown(view: ModelView, kind: 'attribute' | 'relationship', wire: string, at: Steps): Problem {
  const detail = `The ${view.model.plural} have no ${kind} '${shortened(wire)}'; ${hintAt(view, kind, wire)}.`
  return problem(isResource(view, kind, wire) ? 'invalid-resource' : 'unknown-member', detail, { pointer: pointer(at) })
}

/** An attribute in the name of a binary resource, which is a link here. */
function isResource(view: ModelView, kind: 'attribute' | 'relationship', wire: string): boolean {
  const field = writableField(view, wire)
  return kind === 'attribute' && field?.kind === 'resource' && isReadable(view, field)
}

/** What it is instead, or else what there is, as far as a client may know of it. */
function hintAt(view: ModelView, kind: 'attribute' | 'relationship', wire: string): string {
  const other = writableField(view, wire)
  if (other?.kind === 'value') return 'it is one of their attributes'
  if (other?.kind === 'resource' && isReadable(view, other))
    return 'it is a binary resource of theirs, which is set at its own address'
  if (writableRelation(view, wire)) return 'it is one of their relationships'
  const fields = view.model.fields.filter((field) => isReadable(view, field))
  const names =
    kind === 'attribute'
      ? withAdded(view, namesOf(fields.filter((field) => field.kind === 'value')))
      : namesOf(fields.filter(isRelation))
  return `they have ${names.join(', ') || 'none'}`
}

function namesOf(fields: readonly FieldDescription[]): readonly string[] {
  return fields.map((field) => field.wire)
}

function writableRelation(view: ModelView, wire: string): RelationField | undefined {
  const field = writableField(view, wire)
  return field && isRelation(field) ? field : undefined
}

function wrong(detail: string, at: Steps): Problem {
  return problem('invalid-document', detail, { pointer: pointer(at) })
}
