import { isDeepStrictEqual } from 'node:util'
import { maxProblems, refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { truncate } from '../../error/truncate.ts'
import { unwrittenRuleMeta } from '../../error/unwritten-rule.ts'
import { findInvalidText } from '../../http/json/invalid-text.ts'
import { findDeepestExisting } from '../../http/json/json-pointer.ts'
import type { ValueField } from '../../model/model-description.ts'
import type { ModelView } from '../../model/model-view.ts'
import { maxIssues, type ValidationResult } from '../../schema/standard-schema.ts'
import type { ItemPayload, Steps } from '../../serializer/payload.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import { ValidationPending, type Validations, validationErrors } from '../validations.ts'
import { refuseGrowth, valueLimitErrors } from '../value-limit.ts'
import { invalidTextMessage, invalidValueDetail } from './invalid-value-detail.ts'
import type { ExistingBase, ItemBase, Members } from './item-base.ts'
import { isKeptWithoutPayload, isServerOnly } from './member-access.ts'
import { invalidMember, memberProblemErrors } from './member-problems.ts'
import { mergePatch } from './merge-patch.ts'
import { PayloadResources, payloadResourceErrors } from './payload-resources.ts'
import { relationValue, relationValueErrors } from './relation-value.ts'
import { missingServiceMember, serviceMemberErrors } from './service-members.ts'
import { storedIssues } from './stored-issues.ts'
import { unknownMemberDetail, unknownMembers } from './unknown-members.ts'
import { valueAt } from './value-at.ts'

const ownErrors = ['invalid-member', 'unknown-member'] as const

export const completeItemErrors: readonly ErrorCode[] = [
  ...ownErrors,
  ...memberProblemErrors,
  ...serviceMemberErrors,
  ...validationErrors,
  ...valueLimitErrors,
  ...payloadResourceErrors,
  ...relationValueErrors,
]

const { problem } = refusalsOf(ownErrors)

/**
 * Combines the payload with the stored item. It validates what the client sent, and for a new or
 * replaced item all members.
 * @param problems problems found before, reported together with those found here
 * @throws ApiError with all problems, each with a pointer that exists in the document;
 * ValidationPending while schemas are asynchronous
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
  if (base.kind === 'merge') refuseGrowth(view, base, payload, maxItemValues)
  problems.push(...payload.problems)
  const members: Members = {}
  const { resourcePaths } = view.model
  const resources =
    resourcePaths.length === 0
      ? undefined
      : new PayloadResources(
          view,
          payload,
          base.kind === 'new' ? undefined : (base.files ?? base.stored),
        )
  let isSettled = true
  for (const field of view.model.valueFields) {
    const storedValue = base.kind === 'new' ? undefined : base.stored[field.name]
    if (base.kind !== 'new' && keepsStoredValue(view, field, payload, base)) {
      if (storedValue !== undefined) members[field.name] = storedValue
      continue
    }
    // A value that came back is only checked: reading it again could change it once more.
    if (base.kind !== 'new' && isSentBack(view, field, payload, base)) {
      for (const issue of firstProblems(storedIssues(view, field, storedValue)))
        problems.push(valueProblem(field, storedValue, issue, payload))
      members[field.name] = storedValue
      continue
    }
    const candidate = candidateOf(field, payload, base, resources)
    const validation = validateMember(validations, field, candidate, payload, base)
    if (!validation) {
      isSettled = false
      continue
    }
    if (validation.kind === 'valid') {
      const invalidTextPath =
        validation.value === candidate ? undefined : findInvalidText(validation.value)
      if (invalidTextPath)
        problems.push(
          valueProblem(
            field,
            candidate,
            { path: invalidTextPath, message: invalidTextMessage },
            payload,
          ),
        )
      members[field.name] = withResources(field, validation.value, resources)
    } else if (candidate === undefined && isServerOnly(view, field)) {
      // It prevents creation, but not changes.
      if (base.kind === 'new') refuseAll([missingServiceMember(view, field)])
    } else if (isServerOnly(view, field))
      for (const { path, message } of firstProblems(validation.issues)) {
        const member = [field.name, ...path].join('.')
        problems.push(invalidMember(view.model, member, `is invalid: ${message}`, payload))
      }
    else
      for (const issue of firstProblems(validation.issues))
        problems.push(valueProblem(field, candidate, issue, payload))
    // A client with that many problems learns of unknown members later.
    if (validation.kind === 'valid' || validation.issues.length < maxIssues)
      problems.push(...unknownMemberProblems(field, payload))
  }
  // All asynchronous schemas have started by now.
  if (!isSettled) throw new ValidationPending()
  for (const { name, wireName } of view.model.resourceFields)
    members[name] = resources!.fieldResource(wireName, payload.values.get(name))
  if (resources) problems.push(...firstProblems(resources.problems))
  for (const field of view.model.ownedRelations)
    members[field.name] = relationValue(view, field, payload, base, problems)
  refuseAll(problems)
  return members
}

/**
 * Does the member stay as it is stored, without a check? Nobody is refused because of a value that
 * it did not send: another program may have stored what does not fit the schema.
 */
function keepsStoredValue(
  view: ModelView,
  field: ValueField,
  payload: ItemPayload,
  { kind, stored, kept }: ExistingBase,
): boolean {
  if (payload.values.has(field.name)) return false
  if (kind === 'merge') return true
  const isKept = kept.has(field.name) || isKeptWithoutPayload(view, field)
  return isKept && stored[field.name] !== undefined
}

/** Does the payload repeat the stored value? */
function isSentBack(
  view: ModelView,
  field: ValueField,
  payload: ItemPayload,
  { stored, kept }: ExistingBase,
): boolean {
  const member = payload.values.get(field.name)
  const storedValue = stored[field.name]
  return (
    member !== undefined &&
    storedValue !== undefined &&
    storedValue !== null &&
    !kept.has(field.name) &&
    !isKeptWithoutPayload(view, field) &&
    isDeepStrictEqual(member.value, storedValue)
  )
}

/** The value to validate, before defaults. */
function candidateOf(
  field: ValueField,
  payload: ItemPayload,
  base: ItemBase,
  resources: PayloadResources | undefined,
): unknown {
  const member = payload.values.get(field.name)
  if (!member) return undefined
  const value = field.nestedResources
    ? resources!.withoutResources(field.nestedResources, member, field.wireName)
    : member.value
  return base.kind === 'merge'
    ? mergePatch(mergeTarget(base, field.name), value, payload.keepsNulls)
    : value
}

/** What a client merges with: a member that it does not see is not there for it. */
function mergeTarget({ stored, masked }: ExistingBase, name: string): unknown {
  return masked.has(name) ? undefined : stored[name]
}

function withResources(
  { nestedResources: nested, wireName }: ValueField,
  value: unknown,
  resources: PayloadResources | undefined,
): unknown {
  return nested && value !== undefined ? resources!.withResources(nested, value, wireName) : value
}

/** In a merge, null removes the member, or is stored as null if the member is required. */
function validateMember(
  validations: Validations,
  { name, schema }: ValueField,
  candidate: unknown,
  payload: ItemPayload,
  base: ItemBase,
): ValidationResult | undefined {
  if (base.kind !== 'merge' || candidate !== null || !payload.values.has(name))
    return validations.validate(schema, candidate)
  if (payload.keepsNulls && mergeTarget(base, name) === null) {
    const nullValidation = validations.validate(schema, null)
    if (nullValidation?.kind !== 'invalid') return nullValidation
  }
  const withoutMember = validations.validate(schema, undefined)
  return withoutMember?.kind === 'invalid' ? validations.validate(schema, null) : withoutMember
}

/** A value can have a hundred thousand problems. */
function firstProblems<T>(issues: readonly T[]): readonly T[] {
  return issues.slice(0, maxProblems)
}

function valueProblem(
  field: ValueField,
  candidate: unknown,
  issue: { path: Steps; message: string; isUnwritten?: true },
  payload: ItemPayload,
): Problem {
  const member = payload.values.get(field.name)
  const steps = member ? [...member.steps, ...issue.path] : payload.memberSteps.values
  const name = truncate(
    [field.wireName, ...issue.path].map((step) => truncate(String(step))).join('.'),
    256,
  )
  const isMissing = valueAt(candidate, issue.path) === undefined
  const detail =
    candidate === undefined
      ? `'${name}' is required.`
      : invalidValueDetail(`'${name}'`, isMissing, issue.message)
  const invalid = problem('invalid-member', detail, {
    pointer: findDeepestExisting(payload.document, steps),
  })
  return issue.isUnwritten ? { ...invalid, meta: unwrittenRuleMeta.item } : invalid
}

function unknownMemberProblems(field: ValueField, payload: ItemPayload): Problem[] {
  const member = payload.values.get(field.name)
  if (!member || typeof member.value !== 'object') return []
  return unknownMembers(field.input, member.value, maxProblems).map((path, index) =>
    problem(
      'unknown-member',
      unknownMemberDetail(`'${field.wireName}'`, field.input, path, index),
      {
        pointer: findDeepestExisting(payload.document, [...member.steps, ...path]),
      },
    ),
  )
}
