import { mostFaults, refuseAll } from '../error/api-error.ts'
import { type ErrorSource, type Problem, problem } from '../error/problem.ts'
import { shortened } from '../error/shortened.ts'
import { brokenText } from '../http/broken-text.ts'
import { pointer } from '../http/json-pointer.ts'
import type { FieldDescription, OwnedRelation, ValueField } from '../model/description.ts'
import { isReadable } from '../model/model-view.ts'
import type { StoredResource } from '../model/stored-resource.ts'
import { isScalar, type ValueType, valueTypeOf } from '../model/value-type.ts'
import type { Validation } from '../schema/standard-schema.ts'
import { resourcesIn } from '../store/item-resources.ts'
import type { StoreReader } from '../store/store.ts'
import type { StoredValues } from '../store/stored-item.ts'
import type { Members } from './complete-item.ts'
import type { ActionJob } from './job.ts'
import { identifiersOf } from './model-instance.ts'
import { relatedItems } from './related-items.ts'
import { Unsettled, type Validations } from './validations.ts'

/**
 * What an action left of an item, validated as a whole. A member that the action did not touch stays as it is stored; one that it changed is
 * read by its schema, as if a client had sent it.
 * @param resources those that the item had: no other can be put into it, for they belong to other items
 * @throws ApiError `invalid-outcome`, and what the rule says of relations to items that are not there, all at once.
 */
export async function leftMembers(
  reader: StoreReader,
  job: ActionJob,
  before: StoredValues,
  item: Readonly<Members>,
  resources: ReadonlySet<StoredResource>,
): Promise<Members> {
  const { model } = job.view
  const problems: Problem[] = []
  const members: Members = {}
  let isSettled = true
  for (const field of model.values) {
    const left = item[field.name]
    const stored = before[field.name]
    const validation = validated(job.validations, field, left, stored)
    if (!validation) {
      isSettled = false
      continue
    }
    if (validation.kind === 'valid') {
      const broken = isSame(left, stored) ? undefined : brokenText(validation.value)
      if (broken) problems.push(misfit(job, field, [field.wire, ...broken], brokenMessage))
      members[field.name] = validation.value
    } else
      for (const issue of validation.issues.slice(0, mostFaults))
        problems.push(misfit(job, field, [field.wire, ...issue.path], issue.message))
  }
  if (!isSettled) throw new Unsettled()
  for (const field of model.owned) {
    const left = unrepeated(identifiersOf(field, item[field.name]))
    if (left === null && field.kind === 'toOne' && !field.optional)
      problems.push(misfit(job, field, [field.wire], 'it is required'))
    members[field.name] = left
  }
  for (const { name } of model.resources) members[name] = item[name] ?? null
  problems.push(...(await missingRelated(reader, job, before, members)))
  refuseAll(problems)
  for (const [place, resource] of model.slots.length === 0 ? [] : resourcesIn(model, members))
    if (!resources.has(resource))
      throw new TypeError(`'${place}' holds a resource that this ${model.name} did not have.`)
  return members
}

function validated(
  validations: Validations,
  field: ValueField,
  left: unknown,
  stored: unknown,
): Validation | undefined {
  if ((stored !== undefined && isSame(left, stored)) || isReadOtherwise(field, left))
    return { kind: 'valid', value: left }
  return validations.validate(field.schema, left)
}

const brokenMessage = 'it holds half of a surrogate pair or U+0000, which is no text that can be sent'

function isSame(left: unknown, stored: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(stored)
}

/** A schema that stores another kind of value than it reads cannot read again what is stored. */
function isReadOtherwise({ input, type }: ValueField, left: unknown): boolean {
  const read = valueTypeOf(input)
  return read.kind !== 'opaque' && read.kind !== type.kind && isOfKind(type, left)
}

function isOfKind(type: ValueType, value: unknown): boolean {
  if (type.kind === 'integer') return Number.isSafeInteger(value)
  if (type.kind === 'array') return Array.isArray(value)
  if (isScalar(type)) return typeof value === (type.kind === 'text' ? 'string' : type.kind)
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unrepeated(ids: unknown): unknown {
  return Array.isArray(ids) ? [...new Set(ids)].filter((id) => id !== null) : ids
}

async function missingRelated(
  reader: StoreReader,
  job: ActionJob,
  before: StoredValues,
  left: Readonly<Members>,
): Promise<readonly Problem[]> {
  const added = job.view.model.owned.map((field) => ({ field, ids: addedTo(field, before, left) }))
  const wanted = new Map<OwnedRelation['target'], string[]>()
  for (const { field, ids } of added)
    if (ids.length > 0) wanted.set(field.target, [...(wanted.get(field.target) ?? []), ...ids])
  const related = await relatedItems(reader, job, wanted)
  return added.flatMap(({ field: { target }, ids }) =>
    ids
      .filter((id) => !related.get(target)!.has(id))
      .slice(0, mostFaults)
      .map((id) => {
        const detail = `There is no ${target.name} with the id '${shortened(id, 128)}'.`
        return problem(job.missingRelated, detail, sourceOf(job))
      }),
  )
}

/** What the item related to already is taken on trust. */
function addedTo({ name }: OwnedRelation, before: StoredValues, left: Readonly<Members>): readonly string[] {
  const known = new Set([before[name]].flat())
  return [left[name]].flat().filter((id): id is string => typeof id === 'string' && !known.has(id))
}

/** What a caller cannot see is not named. */
function misfit(job: ActionJob, field: FieldDescription, way: readonly (string | number)[], message: string): Problem {
  const { view, action } = job
  const what = isReadable(view, field)
    ? `whose '${way.join('.')}' does not fit: ${message}`
    : 'that does not fit its model'
  return problem(
    'invalid-outcome',
    `'${action.name}' would leave the ${view.model.name} as one ${what}.`,
    sourceOf(job),
  )
}

function sourceOf({ input }: ActionJob): ErrorSource | undefined {
  return input.kind === 'sent' ? { pointer: pointer(input.steps) } : undefined
}
