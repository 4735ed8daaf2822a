import { memoizeBy } from '../../cache/memoize-by.ts'
import type { MaybePromise } from '../../concurrency/maybe-promise.ts'
import { maxProblems, refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { unknownName } from '../../error/unknown-name.ts'
import { findInvalidText } from '../../http/json/invalid-text.ts'
import type { ModelDescription, OwnedRelation } from '../../model/model-description.ts'
import { always } from '../../query/conditions.ts'
import type { ItemPayload } from '../../serializer/payload.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { toStoredValue } from '../../stored-item/code-values.ts'
import { isSameValue } from '../../stored-item/same-value.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { fetchByIds } from '../fetch-by-ids.ts'
import { heldIdentifiersOf, holdsIdentifiers } from '../model-instance.ts'
import { ValidationPending, type Validations, validationErrors } from '../validations.ts'
import { validateChangedMember } from '../write/changed-member.ts'
import { invalidTextMessage } from '../write/invalid-value-detail.ts'
import { memberProblemErrors, violatedItemRule } from '../write/member-problems.ts'

export const completeDraftErrors: readonly ErrorCode[] = [
  ...memberProblemErrors,
  ...validationErrors,
]

/** What a draft is completed with. */
export interface DraftContext {
  readonly reader: StoreReader
  readonly validations: Validations
  /** What the client sent for the item; undefined if it sent nothing. */
  readonly payload: ItemPayload | undefined
}

/**
 * The values of a draft that hooks have changed: each changed member is read by its schema, and new
 * related items must exist. Undefined if the draft is as it was.
 * @throws ApiError `invalid-member` with all problems, TypeError for what no client can mend,
 * ValidationPending while schemas are asynchronous
 */
export function completeDraft(
  context: DraftContext,
  model: ModelDescription,
  original: StoredValues,
  draft: Members,
): MaybePromise<StoredValues | undefined> {
  refuseOtherMembers(model, original, draft)
  const values = changedValues(context, model, original, draft)
  const relations = model.ownedRelations.filter(
    ({ name }) => !isSameValue(draft[name], original[name]),
  )
  return relations.length === 0
    ? withChanges(original, values)
    : changedRelations(context, model, relations, original, draft).then((links) =>
        withChanges(original, {
          members: { ...values.members, ...links.members },
          problems: [...values.problems, ...links.problems],
        }),
      )
}

type Members = Readonly<Record<string, unknown>>

/** Members that differ from those of the item, and what is wrong with them. */
interface Changes {
  readonly members: Members
  readonly problems: readonly Problem[]
}

/** @throws ApiError with all problems */
function withChanges(
  original: StoredValues,
  { members, problems }: Changes,
): StoredValues | undefined {
  refuseAll(problems)
  return Object.keys(members).length > 0 ? { ...original, ...members } : undefined
}

function changedValues(
  { validations, payload }: DraftContext,
  model: ModelDescription,
  original: StoredValues,
  draft: Members,
): Changes {
  const members: Record<string, unknown> = {}
  const problems: Problem[] = []
  const addProblem = (path: readonly (string | number)[], message: string) =>
    problems.push(violatedItemRule(model, path.join('.'), message, payload))
  let isSettled = true
  for (const field of model.valueFields) {
    const { name } = field
    const value = toStoredValue(field, draft[name], original[name])
    if (isSameValue(value, original[name])) continue
    const validation = validateChangedMember(validations, field, value, original[name])
    if (!validation) isSettled = false
    else if (validation.kind === 'valid') {
      const textPath = findInvalidText(validation.value)
      if (textPath) addProblem([name, ...textPath], invalidTextMessage)
      members[name] = validation.value
    } else
      for (const issue of validation.issues.slice(0, maxProblems))
        addProblem([name, ...issue.path], `is invalid: ${issue.message}`)
  }
  if (!isSettled) throw new ValidationPending()
  return { members, problems }
}

async function changedRelations(
  { reader, payload }: DraftContext,
  model: ModelDescription,
  relations: readonly OwnedRelation[],
  original: StoredValues,
  draft: Members,
): Promise<Changes> {
  const members: Record<string, unknown> = {}
  const problems: Problem[] = []
  for (const field of relations) {
    const { name, relatedModel } = field
    const related = draft[name]
    if (!holdsIdentifiers(field, related))
      throw new TypeError(
        `A hook must set '${name}' of '${model.name}' to ${field.kind === 'toOne' ? 'an id or null' : 'an array of ids'}.`,
      )
    const ids = heldIdentifiersOf(field, related)
    if (isSameValue(ids, original[name])) continue
    members[name] = ids
    const addProblem = (message: string) =>
      problems.push(violatedItemRule(model, name, message, payload))
    if (ids === null && field.kind === 'toOne' && !field.isOptional) addProblem('is required')
    for (const id of await missingIds(reader, field, original[name], ids))
      addProblem(`leads to the ${relatedModel.name} '${id}', which does not exist`)
  }
  return { members, problems }
}

/** Hooks cannot make members, resources or an id. */
function refuseOtherMembers(model: ModelDescription, original: StoredValues, draft: Members): void {
  const settable = settableNames(model)
  for (const name of Object.keys(draft)) {
    if (settable.has(name) || isSameValue(draft[name], original[name])) continue
    if (model.fieldsByName.has(name) || name === 'id')
      throw new TypeError(`A hook cannot set '${name}' of the model '${model.name}'.`)
    throw new TypeError(
      unknownName(`A hook set the unknown member '${name}' of '${model.name}'`, name, [
        ...settable,
      ]),
    )
  }
}

const settableNames = memoizeBy(
  ({ valueFields, ownedRelations }: ModelDescription): ReadonlySet<string> =>
    new Set([...valueFields, ...ownedRelations].map(({ name }) => name)),
)

async function missingIds(
  reader: StoreReader,
  { relatedModel }: OwnedRelation,
  before: unknown,
  after: unknown,
): Promise<readonly string[]> {
  const kept = new Set([before].flat())
  const missing = new Set(
    [after].flat().filter((id): id is string => typeof id === 'string' && !kept.has(id)),
  )
  for await (const batch of fetchByIds(reader, relatedModel, [...missing], always))
    for (const { id } of batch) missing.delete(id)
  return [...missing].slice(0, maxProblems)
}
