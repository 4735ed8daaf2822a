import { maxProblems } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import type { ModelDescription, OwnedRelation } from '../../model/model-description.ts'
import { always } from '../../query/conditions.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { fetchByIds } from '../fetch-by-ids.ts'
import { ValidationPending, type Validations, validationErrors } from '../validations.ts'
import { validateChangedMember } from '../write/changed-member.ts'
import { invalidMember, memberProblemErrors } from '../write/member-problems.ts'

export const restoredValuesErrors: readonly ErrorCode[] = [
  ...memberProblemErrors,
  ...validationErrors,
]

/**
 * The values with which a deleted item comes back. They are checked by today's schema. Of related
 * items that were deleted since, the relation is treated as their deletion would have done.
 * @param problems what is wrong with them
 * @throws ValidationPending while schemas are asynchronous
 */
export async function restoredValues(
  reader: StoreReader,
  model: ModelDescription,
  validations: Validations,
  values: StoredValues,
  problems: Problem[],
): Promise<StoredValues> {
  const restored: Record<string, unknown> & { id: string } = { ...values }
  let isSettled = true
  for (const field of model.valueFields) {
    // It is computed again.
    if (field.computed) continue
    const { name } = field
    const value = values[name]
    // What stored items may lack, deleted ones may lack too.
    if (value === undefined && field.allowsMissing) continue
    const validation =
      value === undefined
        ? validations.validate(field.schema, value)
        : validateChangedMember(validations, field, value, undefined)
    if (!validation) isSettled = false
    else if (validation.kind === 'invalid')
      for (const { path, message } of validation.issues.slice(0, maxProblems))
        problems.push(
          invalidMember(model, [name, ...path].join('.'), `is invalid: ${message}`, undefined),
        )
    else if (value === undefined && validation.value !== undefined)
      restored[name] = validation.value
  }
  if (!isSettled) throw new ValidationPending()
  for (const field of model.ownedRelations)
    restored[field.name] = await restoredRelation(reader, model, field, values, problems)
  return restored
}

async function restoredRelation(
  reader: StoreReader,
  model: ModelDescription,
  field: OwnedRelation,
  values: StoredValues,
  problems: Problem[],
): Promise<unknown> {
  const { name, kind, relatedModel } = field
  const ids = [values[name]].flat().filter((id): id is string => typeof id === 'string')
  const existing = new Set<string>()
  for await (const batch of fetchByIds(reader, relatedModel, ids, always))
    for (const { id } of batch) existing.add(id)
  // An item may relate to itself.
  if (relatedModel === model) existing.add(values.id)
  const kept = ids.filter((id) => existing.has(id))
  if (kind === 'toMany') return kept
  const isLost = kept.length < ids.length
  if (isLost && (field.onDelete !== 'set-null' || !field.isOptional))
    problems.push(
      invalidMember(
        model,
        name,
        relatedModel.trash
          ? `leads to a ${relatedModel.name} that was deleted too. Restore that first.`
          : `leads to a ${relatedModel.name} that was deleted too, and is not kept.`,
        undefined,
      ),
    )
  else if (kept.length === 0 && !field.isOptional && !field.allowsMissing)
    problems.push(invalidMember(model, name, 'is required', undefined))
  return kept[0] ?? null
}
