import { maxProblems, refuseAll } from '../../error/api-error.ts'
import { type ErrorSource, type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { findInvalidText } from '../../http/json/invalid-text.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { FieldDescription, OwnedRelation, ValueField } from '../../model/model-description.ts'
import { isReadable } from '../../model/model-view.ts'
import type { StoredResource } from '../../model/stored-resource.ts'
import { isScalar, type ValueType, valueTypeOf } from '../../model/value-type.ts'
import type { ValidationResult } from '../../schema/standard-schema.ts'
import type { StoreReader } from '../../store/store.ts'
import { resourcesIn } from '../../stored-item/item-resources.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { identifiersOf } from '../model-instance.ts'
import type { ActionOperationInput } from '../operation-input.ts'
import { fetchItemsByModel } from '../related-items.ts'
import { ValidationPending, type Validations } from '../validations.ts'
import type { Members } from '../write/complete-item.ts'

/**
 * What an action left of an item, validated as a whole. A member that the action did not touch
 * stays as it is stored; one that it changed is read by its schema, as if a client had sent it.
 * @param resources those that the item had: no other can be put into it, for they belong to other
 * items
 * @throws ApiError `invalid-outcome`, and what the rule says of relations to items that are not
 * there, all at once.
 */
export async function validateActionResult(
  reader: StoreReader,
  job: ActionOperationInput,
  before: StoredValues,
  item: Readonly<Members>,
  resources: ReadonlySet<StoredResource>,
): Promise<Members> {
  const { model } = job.view
  const problems: Problem[] = []
  const members: Members = {}
  let isSettled = true
  for (const field of model.valueFields) {
    const left = item[field.name]
    const stored = before[field.name]
    const validation = validateMember(job.validations, field, left, stored)
    if (!validation) {
      isSettled = false
      continue
    }
    if (validation.kind === 'valid') {
      const broken = isSame(left, stored) ? undefined : findInvalidText(validation.value)
      if (broken)
        problems.push(resultProblem(job, field, [field.wireName, ...broken], brokenTextMessage))
      members[field.name] = validation.value
    } else
      for (const issue of validation.issues.slice(0, maxProblems))
        problems.push(resultProblem(job, field, [field.wireName, ...issue.path], issue.message))
  }
  if (!isSettled) throw new ValidationPending()
  for (const field of model.ownedRelations) {
    const left = withoutDuplicates(identifiersOf(field, item[field.name]))
    if (left === null && field.kind === 'toOne' && !field.isOptional)
      problems.push(resultProblem(job, field, [field.wireName], 'it is required'))
    members[field.name] = left
  }
  for (const { name } of model.resourceFields) members[name] = item[name] ?? null
  problems.push(...(await missingRelatedProblems(reader, job, before, members)))
  refuseAll(problems)
  for (const [place, resource] of model.resourcePaths.length === 0
    ? []
    : resourcesIn(model, members))
    if (!resources.has(resource))
      throw new TypeError(`'${place}' holds a resource that this ${model.name} did not have.`)
  return members
}

function validateMember(
  validations: Validations,
  field: ValueField,
  left: unknown,
  stored: unknown,
): ValidationResult | undefined {
  if ((stored !== undefined && isSame(left, stored)) || storesOtherType(field, left))
    return { kind: 'valid', value: left }
  return validations.validate(field.schema, left)
}

const brokenTextMessage =
  'it holds half of a surrogate pair or U+0000, which is no text that can be sent'

function isSame(left: unknown, stored: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(stored)
}

/** A schema that stores another kind of value than it reads cannot read again what is stored. */
function storesOtherType({ input, type }: ValueField, left: unknown): boolean {
  const read = valueTypeOf(input)
  return read.kind !== 'opaque' && read.kind !== type.kind && isOfKind(type, left)
}

function isOfKind(type: ValueType, value: unknown): boolean {
  if (type.kind === 'integer') return Number.isSafeInteger(value)
  if (type.kind === 'array') return Array.isArray(value)
  if (isScalar(type)) return typeof value === (type.kind === 'text' ? 'string' : type.kind)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function withoutDuplicates(ids: unknown): unknown {
  return Array.isArray(ids) ? [...new Set(ids)].filter((id) => id !== null) : ids
}

async function missingRelatedProblems(
  reader: StoreReader,
  job: ActionOperationInput,
  before: StoredValues,
  left: Readonly<Members>,
): Promise<readonly Problem[]> {
  const added = job.view.model.ownedRelations.map((field) => ({
    field,
    ids: addedIds(field, before, left),
  }))
  const wanted = new Map<OwnedRelation['relatedModel'], string[]>()
  for (const { field, ids } of added)
    if (ids.length > 0)
      wanted.set(field.relatedModel, [...(wanted.get(field.relatedModel) ?? []), ...ids])
  const related = await fetchItemsByModel(reader, job, wanted)
  return added.flatMap(({ field: { relatedModel }, ids }) =>
    ids
      .filter((id) => !related.get(relatedModel)!.has(id))
      .slice(0, maxProblems)
      .map((id) => {
        const detail = `There is no ${relatedModel.name} with the id '${truncate(id, 128)}'.`
        return problem(job.missingRelatedError, detail, payloadSource(job))
      }),
  )
}

/** What the item related to already is taken on trust. */
function addedIds(
  { name }: OwnedRelation,
  before: StoredValues,
  left: Readonly<Members>,
): readonly string[] {
  const known = new Set([before[name]].flat())
  return [left[name]].flat().filter((id): id is string => typeof id === 'string' && !known.has(id))
}

/** What a caller cannot see is not named. */
function resultProblem(
  job: ActionOperationInput,
  field: FieldDescription,
  way: readonly (string | number)[],
  message: string,
): Problem {
  const { view, action } = job
  const what = isReadable(view, field)
    ? `whose '${way.join('.')}' does not fit: ${message}`
    : 'that does not fit its model'
  return problem(
    'invalid-outcome',
    `'${action.name}' would leave the ${view.model.name} as one ${what}.`,
    payloadSource(job),
  )
}

function payloadSource({ actionPayload }: ActionOperationInput): ErrorSource | undefined {
  return actionPayload.kind === 'sent' ? { pointer: formatPointer(actionPayload.steps) } : undefined
}
