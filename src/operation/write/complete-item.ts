import { isDeepStrictEqual } from 'node:util'
import { maxProblems, refuse, refuseAll } from '../../error/api-error.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { findInvalidText } from '../../http/json/invalid-text.ts'
import { findDeepestExisting } from '../../http/json/json-pointer.ts'
import type { OwnedRelation, ValueField } from '../../model/model-description.ts'
import { isReadable, isWritable, type ModelView } from '../../model/model-view.ts'
import { capitalize, toWordsWithArticle } from '../../model/naming.ts'
import {
  maxIssues,
  type Schema,
  type SchemaIssue,
  type ValidationResult,
  validate,
} from '../../schema/standard-schema.ts'
import type { ItemPayload, LinkagePayload, Steps } from '../../serializer/payload.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import { ValidationPending, type Validations } from '../validations.ts'
import { refuseGrowth } from '../value-limit.ts'
import { mergePatch } from './merge-patch.ts'
import { PayloadResources } from './payload-resources.ts'
import { knownMembersHint, unknownMembers } from './unknown-members.ts'
import type { UnseenLinks } from './unseen-links.ts'
import { valueAt } from './value-at.ts'

/** The members of an item, by the model's own names: values validated, relations as identifiers. */
export type Members = Record<string, unknown>

/**
 * What is to become of an existing item's members: `merge` keeps what was not sent, `replace` does
 * not.
 */
export type ItemBase =
  | { readonly kind: 'new' }
  | {
      readonly kind: 'merge' | 'replace'
      readonly stored: StoredValues
      readonly unseen: UnseenLinks
    }

/**
 * Makes the whole item of what was sent and validates it as a whole.
 * @param problems faults already found, which are refused together with those found here.
 * @throws ApiError with all faults, each with a pointer that exists in the sent document; Unsettled
 * where asynchronous schemas are waited for.
 */
export async function completeItem(
  {
    view,
    payload,
    validations,
    maxItemValues,
  }: Pick<PayloadOperationInput, 'view' | 'payload' | 'validations' | 'maxItemValues'>,
  base: ItemBase,
  problems: Problem[] = [],
): Promise<Members> {
  if (base.kind === 'merge') refuseGrowth(view, base.stored, payload, maxItemValues)
  problems.push(...payload.problems)
  const members: Members = {}
  const { resourcePaths } = view.model
  const resources =
    resourcePaths.length === 0
      ? undefined
      : new PayloadResources(view, payload, base.kind === 'new' ? undefined : base.stored)
  let isSettled = true
  for (const field of view.model.valueFields) {
    const kept = unchangedValue(view, field, payload, base)
    // It is held against its schema, but stays as it is: to read it again could change it once
    // more.
    if (kept !== undefined) {
      for (const issue of firstProblems(storedIssues(view, field, kept)))
        problems.push(valueProblem(field, kept, issue, payload))
      members[field.name] = kept
      continue
    }
    const candidate = candidateOf(field, payload, base, resources)
    const validation = validateMember(validations, field, candidate, payload, base)
    if (!validation) {
      isSettled = false
      continue
    }
    if (validation.kind === 'valid') {
      const broken = validation.value === candidate ? undefined : findInvalidText(validation.value)
      if (broken)
        problems.push(
          valueProblem(field, candidate, { path: broken, message: brokenTextMessage }, payload),
        )
      members[field.name] = withResources(field, validation.value, resources)
    } else if (candidate === undefined && isServerOnly(view, field))
      refuseCreation(view, field, base)
    else
      for (const issue of firstProblems(validation.issues))
        problems.push(valueProblem(field, candidate, issue, payload))
    // Who has that many faults to mend hears of unknown members later.
    if (validation.kind === 'valid' || validation.issues.length < maxIssues)
      problems.push(...unknownMemberProblems(field, payload))
  }
  // All that are asynchronous have begun.
  if (!isSettled) throw new ValidationPending()
  for (const { name, wireName } of view.model.resourceFields)
    members[name] = resources!.fieldResource(wireName, payload.values.get(name))
  if (resources) problems.push(...firstProblems(resources.problems))
  for (const field of view.model.ownedRelations)
    members[field.name] = relationValue(view, field, payload, base, problems)
  refuseAll(problems)
  return members
}

const brokenTextMessage =
  'it would hold half of a surrogate pair or U+0000, which is no text that can be sent'

/** The stored value of a member that was not sent, or sent back as it was given, where it stays. */
function unchangedValue(
  view: ModelView,
  field: ValueField,
  sent: ItemPayload,
  base: ItemBase,
): unknown {
  if (base.kind === 'new') return undefined
  const given = sent.values.get(field.name)
  const stored = base.stored[field.name]
  if (given) {
    const isSentBack =
      stored !== null && !isHiddenFromClients(view, field) && isDeepStrictEqual(given.value, stored)
    return isSentBack ? stored : undefined
  }
  return base.kind === 'merge' || isHiddenFromClients(view, field)
    ? base.stored[field.name]
    : undefined
}

/**
 * What a stored value, which stays, lacks for its schema: the model may have changed since it was
 * written. Only where clients could mend it, where the schema reads what it stores, and at once:
 * one that asks elsewhere was asked when the value was written.
 */
function storedIssues(view: ModelView, field: ValueField, stored: unknown): readonly SchemaIssue[] {
  if (
    !field.hasSameInputAndOutput ||
    field.nestedResources ||
    isServerOnly(view, field) ||
    view.hiddenNames.has(field.wireName)
  )
    return []
  if (asynchronousSchemas.has(field.schema)) return []
  const validation = validate(field.schema, stored)
  if (validation instanceof Promise) {
    asynchronousSchemas.add(field.schema)
    validation.catch(() => undefined)
    return []
  }
  return validation.kind === 'invalid' ? validation.issues : []
}

const asynchronousSchemas = new WeakSet<Schema>()

/** What a client cannot see, it cannot send back: leaving it out must not lose it. */
function isHiddenFromClients(view: ModelView, field: ValueField | OwnedRelation): boolean {
  return (
    view.hiddenNames.has(field.wireName) ||
    (field.kind === 'value' && field.visibility !== 'visible')
  )
}

/** Can no client give it a value? */
function isServerOnly(view: ModelView, field: ValueField): boolean {
  return field.visibility === 'readOnly' || !isWritable(view, field)
}

/**
 * What nobody but the service can give an item keeps nobody from changing one that it was not given
 * to.
 */
function refuseCreation(view: ModelView, field: ValueField, base: ItemBase): void {
  if (base.kind !== 'new') return
  const needed = isReadable(view, field) ? `'${field.wireName}', which` : 'what'
  throw refuse(
    'forbidden',
    `${capitalize(toWordsWithArticle(view.model.name))} needs ${needed} only the service can give it: no client can create one.`,
  )
}

/** The value that is to be validated, before defaults. */
function candidateOf(
  field: ValueField,
  sent: ItemPayload,
  base: ItemBase,
  resources: PayloadResources | undefined,
): unknown {
  const given = sent.values.get(field.name)
  if (!given) return undefined
  const value = field.nestedResources
    ? resources!.withoutResources(field.nestedResources, given, field.wireName)
    : given.value
  return base.kind === 'merge' ? mergePatch(base.stored[field.name], value, sent.keepsNulls) : value
}

function withResources(
  { nestedResources: inside, wireName }: ValueField,
  value: unknown,
  resources: PayloadResources | undefined,
): unknown {
  return inside && value !== undefined ? resources!.withResources(inside, value, wireName) : value
}

/**
 * In a merge, null removes the member; it stays as null where the model wants one rather than none.
 */
function validateMember(
  validations: Validations,
  { name, schema }: ValueField,
  candidate: unknown,
  sent: ItemPayload,
  base: ItemBase,
): ValidationResult | undefined {
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
function firstProblems<T>(found: readonly T[]): readonly T[] {
  return found.slice(0, maxProblems)
}

function valueProblem(
  field: ValueField,
  candidate: unknown,
  issue: { path: Steps; message: string },
  sent: ItemPayload,
): Problem {
  const given = sent.values.get(field.name)
  const steps = given ? [...given.steps, ...issue.path] : sent.memberSteps.values
  const name = truncate(
    [field.wireName, ...issue.path].map((step) => truncate(String(step))).join('.'),
    256,
  )
  const lacks = valueAt(candidate, issue.path) === undefined ? 'is required' : 'does not fit'
  const detail =
    candidate === undefined
      ? `'${name}' is required.`
      : `'${name}' ${lacks}: ${truncate(issue.message, 1_000)}.`
  return problem('invalid-member', detail, { pointer: findDeepestExisting(sent.document, steps) })
}

function unknownMemberProblems(field: ValueField, sent: ItemPayload): Problem[] {
  const given = sent.values.get(field.name)
  if (!given || typeof given.value !== 'object') return []
  return unknownMembers(field.input, given.value, maxProblems).map((way) =>
    problem(
      'unknown-member',
      `'${field.wireName}' has no member '${truncate(way.join('.'))}'${knownMembersHint(field.input, way)}.`,
      {
        pointer: findDeepestExisting(sent.document, [...given.steps, ...way]),
      },
    ),
  )
}

function relationValue(
  view: ModelView,
  field: OwnedRelation,
  sent: ItemPayload,
  base: ItemBase,
  problems: Problem[],
): unknown {
  const given = sent.relations.get(field.name)
  if (base.kind !== 'new' && !given && (base.kind === 'merge' || isHiddenFromClients(view, field)))
    return base.stored[field.name]
  const unseen = base.kind === 'new' ? [] : (base.unseen.get(field.name) ?? [])
  if (given?.kind === 'one') return given.id.value
  if (given?.kind === 'many')
    return withUnseenLinks(
      given.ids.map((id) => id.value),
      unseen,
      base,
      field.name,
    )
  if (field.kind === 'toMany') return unseen
  if (unseen.length > 0) return unseen[0]
  if (!field.isOptional) problems.push(relationMissing(field, sent, given))
  return null
}

/** What was not shown keeps its place behind what was, which is in the order sent. */
function withUnseenLinks(
  sent: readonly string[],
  unseen: readonly string[],
  base: ItemBase,
  name: string,
): readonly string[] {
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

function relationMissing(
  field: OwnedRelation,
  sent: ItemPayload,
  given: LinkagePayload | undefined,
): Problem {
  const steps = given?.kind === 'none' ? given.steps : sent.memberSteps.relations
  const detail = `'${field.wireName}' is required: the identifier of one of the ${field.relatedModel.plural}.`
  return problem('invalid-member', detail, { pointer: findDeepestExisting(sent.document, steps) })
}
