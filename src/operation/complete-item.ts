import { isDeepStrictEqual } from 'node:util'
import { mostFaults, refuse, refuseAll } from '../error/api-error.ts'
import { type Problem, problem } from '../error/problem.ts'
import { shortened } from '../error/shortened.ts'
import { brokenText } from '../http/broken-text.ts'
import { deepestExisting } from '../http/json-pointer.ts'
import type { OwnedRelation, ValueField } from '../model/description.ts'
import { isReadable, isWritable, type ModelView } from '../model/model-view.ts'
import { capitalized, oneInWords } from '../model/naming.ts'
import { mostIssues, type Schema, type SchemaIssue, type Validation, validate } from '../schema/standard-schema.ts'
import type { SentItem, SentRelation, Steps } from '../serializer/sent.ts'
import type { StoredValues } from '../store/stored-item.ts'
import type { BodyJob } from './job.ts'
import { mergePatch } from './merge-patch.ts'
import { SentResources } from './sent-resources.ts'
import { namesIn, unknownMembers } from './unknown-members.ts'
import type { UnseenLinks } from './unseen-links.ts'
import { Unsettled, type Validations } from './validations.ts'
import { valueAt } from './value-at.ts'
import { refuseGrowth } from './value-limit.ts'

/** The members of an item, by the model's own names: values validated, relations as identifiers. */
export type Members = Record<string, unknown>

/** What is to become of an existing item's members: `merge` keeps what was not sent, `replace` does not. */
export type Base =
  | { readonly kind: 'new' }
  | { readonly kind: 'merge' | 'replace'; readonly stored: StoredValues; readonly unseen: UnseenLinks }

/**
 * Makes the whole item of what was sent and validates it as a whole.
 * @param problems faults already found, which are refused together with those found here.
 * @throws ApiError with all faults, each with a pointer that exists in the sent document; Unsettled where asynchronous schemas are waited for.
 */
export async function completeItem(
  { view, sent, validations, maxItemValues }: Pick<BodyJob, 'view' | 'sent' | 'validations' | 'maxItemValues'>,
  base: Base,
  problems: Problem[] = [],
): Promise<Members> {
  if (base.kind === 'merge') refuseGrowth(view, base.stored, sent, maxItemValues)
  problems.push(...sent.faults)
  const members: Members = {}
  const { slots } = view.model
  const resources =
    slots.length === 0 ? undefined : new SentResources(view, sent, base.kind === 'new' ? undefined : base.stored)
  let isSettled = true
  for (const field of view.model.values) {
    const kept = keptValue(view, field, sent, base)
    // It is held against its schema, but stays as it is: to read it again could change it once more.
    if (kept !== undefined) {
      for (const issue of most(storedIssues(view, field, kept))) problems.push(misfit(field, kept, issue, sent))
      members[field.name] = kept
      continue
    }
    const candidate = candidateOf(field, sent, base, resources)
    const validation = check(validations, field, candidate, sent, base)
    if (!validation) {
      isSettled = false
      continue
    }
    if (validation.kind === 'valid') {
      const broken = validation.value === candidate ? undefined : brokenText(validation.value)
      if (broken) problems.push(misfit(field, candidate, { path: broken, message: brokenMessage }, sent))
      members[field.name] = withResources(field, validation.value, resources)
    } else if (candidate === undefined && isServices(view, field)) refuseNew(view, field, base)
    else for (const issue of most(validation.issues)) problems.push(misfit(field, candidate, issue, sent))
    // Who has that many faults to mend hears of unknown members later.
    if (validation.kind === 'valid' || validation.issues.length < mostIssues) problems.push(...strays(field, sent))
  }
  // All that are asynchronous have begun.
  if (!isSettled) throw new Unsettled()
  for (const { name, wire } of view.model.resources) members[name] = resources!.top(wire, sent.values.get(name))
  if (resources) problems.push(...most(resources.problems))
  for (const field of view.model.owned) members[field.name] = relationOf(view, field, sent, base, problems)
  refuseAll(problems)
  return members
}

const brokenMessage = 'it would hold half of a surrogate pair or U+0000, which is no text that can be sent'

/** The stored value of a member that was not sent, or sent back as it was given, where it stays. */
function keptValue(view: ModelView, field: ValueField, sent: SentItem, base: Base): unknown {
  if (base.kind === 'new') return undefined
  const given = sent.values.get(field.name)
  const stored = base.stored[field.name]
  if (given) {
    const isSentBack = stored !== null && !isUnseen(view, field) && isDeepStrictEqual(given.value, stored)
    return isSentBack ? stored : undefined
  }
  return base.kind === 'merge' || isUnseen(view, field) ? base.stored[field.name] : undefined
}

/**
 * What a stored value, which stays, lacks for its schema: the model may have changed since it was written. Only where clients could mend it,
 * where the schema reads what it stores, and at once: one that asks elsewhere was asked when the value was written.
 */
function storedIssues(view: ModelView, field: ValueField, stored: unknown): readonly SchemaIssue[] {
  if (!field.isReadAsStored || field.resources || isServices(view, field) || view.hides.has(field.wire)) return []
  if (asynchronous.has(field.schema)) return []
  const validation = validate(field.schema, stored)
  if (validation instanceof Promise) {
    asynchronous.add(field.schema)
    validation.catch(() => undefined)
    return []
  }
  return validation.kind === 'invalid' ? validation.issues : []
}

const asynchronous = new WeakSet<Schema>()

/** What a client cannot see, it cannot send back: leaving it out must not lose it. */
function isUnseen(view: ModelView, field: ValueField | OwnedRelation): boolean {
  return view.hides.has(field.wire) || (field.kind === 'value' && field.visibility !== 'visible')
}

/** Can no client give it a value? */
function isServices(view: ModelView, field: ValueField): boolean {
  return field.visibility === 'readOnly' || !isWritable(view, field)
}

/** What nobody but the service can give an item keeps nobody from changing one that it was not given to. */
function refuseNew(view: ModelView, field: ValueField, base: Base): void {
  if (base.kind !== 'new') return
  const needed = isReadable(view, field) ? `'${field.wire}', which` : 'what'
  throw refuse(
    'forbidden',
    `${capitalized(oneInWords(view.model.name))} needs ${needed} only the service can give it: no client can create one.`,
  )
}

/** The value that is to be validated, before defaults. */
function candidateOf(field: ValueField, sent: SentItem, base: Base, resources: SentResources | undefined): unknown {
  const given = sent.values.get(field.name)
  if (!given) return undefined
  const value = field.resources ? resources!.without(field.resources, given, field.wire) : given.value
  return base.kind === 'merge' ? mergePatch(base.stored[field.name], value, sent.keepsNulls) : value
}

function withResources(
  { resources: inside, wire }: ValueField,
  value: unknown,
  resources: SentResources | undefined,
): unknown {
  return inside && value !== undefined ? resources!.placed(inside, value, wire) : value
}

/** In a merge, null removes the member; it stays as null where the model wants one rather than none. */
function check(
  validations: Validations,
  { name, schema }: ValueField,
  candidate: unknown,
  sent: SentItem,
  base: Base,
): Validation | undefined {
  if (base.kind !== 'merge' || candidate !== null || !sent.values.has(name))
    return validations.validate(schema, candidate)
  if (sent.keepsNulls && base.stored[name] === null) {
    const kept = validations.validate(schema, null)
    if (kept?.kind !== 'invalid') return kept
  }
  const removed = validations.validate(schema, undefined)
  return removed?.kind === 'invalid' ? validations.validate(schema, null) : removed
}

/** A value can be wrong in a hundred thousand places. */
function most<T>(found: readonly T[]): readonly T[] {
  return found.slice(0, mostFaults)
}

function misfit(
  field: ValueField,
  candidate: unknown,
  issue: { path: Steps; message: string },
  sent: SentItem,
): Problem {
  const given = sent.values.get(field.name)
  const steps = given ? [...given.steps, ...issue.path] : sent.places.values
  const name = shortened([field.wire, ...issue.path].map((step) => shortened(String(step))).join('.'), 256)
  const lacks = valueAt(candidate, issue.path) === undefined ? 'is required' : 'does not fit'
  const detail =
    candidate === undefined ? `'${name}' is required.` : `'${name}' ${lacks}: ${shortened(issue.message, 1_000)}.`
  return problem('invalid-member', detail, { pointer: deepestExisting(sent.document, steps) })
}

function strays(field: ValueField, sent: SentItem): Problem[] {
  const given = sent.values.get(field.name)
  if (!given || typeof given.value !== 'object') return []
  return unknownMembers(field.input, given.value, mostFaults).map((way) =>
    problem(
      'unknown-member',
      `'${field.wire}' has no member '${shortened(way.join('.'))}'${namesIn(field.input, way)}.`,
      {
        pointer: deepestExisting(sent.document, [...given.steps, ...way]),
      },
    ),
  )
}

function relationOf(view: ModelView, field: OwnedRelation, sent: SentItem, base: Base, problems: Problem[]): unknown {
  const given = sent.relations.get(field.name)
  if (base.kind !== 'new' && !given && (base.kind === 'merge' || isUnseen(view, field))) return base.stored[field.name]
  const unseen = base.kind === 'new' ? [] : (base.unseen.get(field.name) ?? [])
  if (given?.kind === 'one') return given.id.value
  if (given?.kind === 'many')
    return withUnseen(
      given.ids.map((id) => id.value),
      unseen,
      base,
      field.name,
    )
  if (field.kind === 'toMany') return unseen
  if (unseen.length > 0) return unseen[0]
  if (!field.optional) problems.push(relationMissing(field, sent, given))
  return null
}

/** What was not shown keeps its place behind what was, which is in the order sent. */
function withUnseen(sent: readonly string[], unseen: readonly string[], base: Base, name: string): readonly string[] {
  if (unseen.length === 0 || base.kind === 'new') return sent
  const hidden = new Set(unseen)
  const first: string[] = []
  const behind = new Map(sent.map((id): [string, string[]] => [id, []]))
  let place = first
  for (const id of base.stored[name] as readonly string[])
    if (hidden.has(id)) place.push(id)
    else place = behind.get(id) ?? place
  return [...first, ...[...behind].flat(2)]
}

function relationMissing(field: OwnedRelation, sent: SentItem, given: SentRelation | undefined): Problem {
  const steps = given?.kind === 'none' ? given.steps : sent.places.relations
  const detail = `'${field.wire}' is required: the identifier of one of the ${field.target.plural}.`
  return problem('invalid-member', detail, { pointer: deepestExisting(sent.document, steps) })
}
