import { maxProblems, refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { ErrorSource, Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { findInvalidText } from '../../http/json/invalid-text.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { FieldDescription, OwnedRelation, ToOneField } from '../../model/model-description.ts'
import { isReadable } from '../../model/model-view.ts'
import type { StoredResource } from '../../model/stored-resource.ts'
import { missingRelatedErrors } from '../../rule/request-shape.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import { toStoredValue } from '../../stored-item/code-values.ts'
import { resourcesIn } from '../../stored-item/item-resources.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { missingItemDetail } from '../missing-item-detail.ts'
import { heldIdentifiersOf, holdsIdentifiers } from '../model-instance.ts'
import type { ActionOperationInput } from '../operation-input.ts'
import { fetchItemsByModel } from '../related-items.ts'
import { ValidationPending, validationErrors } from '../validations.ts'
import { isSameJson, validateChangedMember } from '../write/changed-member.ts'
import { invalidTextMessage } from '../write/invalid-value-detail.ts'
import type { Members } from '../write/item-base.ts'

const ownErrors = ['invalid-outcome', ...missingRelatedErrors] as const

export const actionResultErrors: readonly ErrorCode[] = [...ownErrors, ...validationErrors]

const { problem } = refusalsOf(ownErrors)

/**
 * Validates the item as the action left it. An unchanged member keeps its stored value; a changed
 * one is read by its schema, as if a client had sent it.
 * @param resources those of the item; any other would belong to another item
 * @throws ApiError `invalid-outcome`, and problems of relations to missing items, all at once
 */
export async function validateActionResult(
  reader: StoreReader,
  input: ActionOperationInput,
  before: StoredValues,
  item: Readonly<Members>,
  resources: ReadonlySet<StoredResource>,
): Promise<Members> {
  const { model } = input.view
  const problems: Problem[] = []
  const members: Members = {}
  let isSettled = true
  for (const field of model.valueFields) {
    const stored = before[field.name]
    const value = toStoredValue(field, item[field.name], stored)
    const validation = validateChangedMember(input.validations, field, value, stored)
    if (!validation) {
      isSettled = false
      continue
    }
    if (validation.kind === 'valid') {
      const invalidTextPath = isSameJson(value, stored)
        ? undefined
        : findInvalidText(validation.value)
      if (invalidTextPath)
        problems.push(
          resultProblem(input, field, [field.wireName, ...invalidTextPath], invalidTextMessage),
        )
      members[field.name] = validation.value
    } else
      for (const issue of validation.issues.slice(0, maxProblems))
        problems.push(resultProblem(input, field, [field.wireName, ...issue.path], issue.message))
  }
  if (!isSettled) throw new ValidationPending()
  for (const field of model.ownedRelations) {
    const value = heldIdentifiersOf(field, item[field.name])
    if (!holdsIdentifiers(field, item[field.name]))
      problems.push(
        resultProblem(
          input,
          field,
          [field.wireName],
          field.kind === 'toOne' ? 'expected an item or null' : 'expected an array of items',
        ),
      )
    if (value === null && field.kind === 'toOne' && !mayLackRelation(field, before))
      problems.push(resultProblem(input, field, [field.wireName], 'it is required'))
    members[field.name] = value
  }
  for (const { name } of model.resourceFields) members[name] = item[name] ?? null
  problems.push(...(await missingRelatedProblems(reader, input, before, members)))
  refuseAll(problems)
  for (const [path, resource] of model.resourcePaths.length === 0
    ? []
    : resourcesIn(model, members))
    if (!resources.has(resource))
      throw new TypeError(`'${path}' holds a resource that did not belong to this ${model.name}.`)
  return members
}

function mayLackRelation(field: ToOneField, before: StoredValues): boolean {
  return field.isOptional || (field.allowsMissing && (before[field.name] ?? null) === null)
}

async function missingRelatedProblems(
  reader: StoreReader,
  input: ActionOperationInput,
  before: StoredValues,
  value: Readonly<Members>,
): Promise<readonly Problem[]> {
  const added = input.view.model.ownedRelations.map((field) => ({
    field,
    ids: addedIds(field, before, value),
  }))
  const idsByModel = new Map<OwnedRelation['relatedModel'], string[]>()
  for (const { field, ids } of added)
    if (ids.length > 0)
      idsByModel.set(field.relatedModel, [...(idsByModel.get(field.relatedModel) ?? []), ...ids])
  const related = await fetchItemsByModel(reader, input, idsByModel)
  return added.flatMap(({ field: { relatedModel }, ids }) =>
    ids
      .filter((id) => !related.get(relatedModel)!.has(id))
      .slice(0, maxProblems)
      .map((id) => {
        const detail = missingItemDetail(relatedModel.name, id)
        return problem(input.missingRelatedError, detail, payloadSource(input))
      }),
  )
}

/** Items that the stored item related to already are not checked. */
function addedIds(
  { name }: OwnedRelation,
  before: StoredValues,
  value: Readonly<Members>,
): readonly string[] {
  const relatedBefore = new Set([before[name]].flat())
  return [value[name]]
    .flat()
    .filter((id): id is string => typeof id === 'string' && !relatedBefore.has(id))
}

/** Hidden members are not named. */
function resultProblem(
  input: ActionOperationInput,
  field: FieldDescription,
  path: readonly (string | number)[],
  message: string,
): Problem {
  const { view, action } = input
  const reason = isReadable(view, field) ? `: '${path.join('.')}': ${message}` : ''
  return problem(
    'invalid-outcome',
    `The action '${action.name}' produced an invalid ${view.model.name}${reason}.`,
    payloadSource(input),
  )
}

function payloadSource({ actionPayload }: ActionOperationInput): ErrorSource | undefined {
  return actionPayload.kind === 'present'
    ? { pointer: formatPointer(actionPayload.steps) }
    : undefined
}
