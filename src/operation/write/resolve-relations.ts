import { ApiError, maxProblems, refuseAll } from '../../error/api-error.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import { andAlso, idIsAnyOf } from '../../query/conditions.ts'
import { type MissingRelatedError, missingRelatedErrors } from '../../rule/request-shape.ts'
import type { LinkagePayload, PayloadValue } from '../../serializer/payload.ts'
import { maxIdsPerQuery } from '../../store/max-ids-per-query.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { ExpectedCount } from '../../store/store-transaction.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import { missingItemDetail } from '../missing-item-detail.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import { fetchItemsByModel, type RelatedItemsByModel } from '../related-items.ts'
import type { UnitOfWork } from '../unit-of-work/unit-of-work.ts'

export const resolveRelationsErrors: readonly MissingRelatedError[] = missingRelatedErrors

const { problem } = refusalsOf(resolveRelationsErrors)

/**
 * Reads every item that the relations of the payload name.
 * @param before relations of the stored item that the caller may see; they are not checked
 * @throws ApiError `related-not-found`, or the rule's own error, for each item that is missing or
 * hidden
 */
export async function resolveRelations(
  reader: StoreReader,
  input: PayloadOperationInput,
  before: StoredValues | undefined,
): Promise<RelatedItemsByModel> {
  const idsByModel = newIdsByModel(input, before)
  const related = await fetchTargets(reader, input, idsByModel)
  refuseAll(missingTargetProblems(input, idsByModel, related))
  return related
}

/**
 * The same without reading the items: stores count them from their keys alone, at once or with the
 * next write.
 * @param refuse reads the items, to tell which of them are missing
 * @throws ApiError as `resolveRelations`
 */
export async function checkRelations(
  unit: UnitOfWork,
  input: PayloadOperationInput,
  before: StoredValues | undefined,
  refuse: () => Promise<unknown> = () => resolveRelations(unit, input, before),
): Promise<void> {
  const idsByModel = newIdsByModel(input, before)
  if (idsByModel.size === 0) return
  const counts = [...idsByModel].flatMap(([model, linkage]) =>
    expectedCounts(input, model, [...new Set(linkage.map(({ value }) => value))]),
  )
  await unit.check({ counts, refuse })
}

function expectedCounts(
  { guards, context }: PayloadOperationInput,
  model: ModelDescription,
  ids: readonly string[],
): readonly ExpectedCount[] {
  const guard = guards.readCondition(model, context)
  return Array.from({ length: Math.ceil(ids.length / maxIdsPerQuery) }, (_, index) => {
    const batch = ids.slice(index * maxIdsPerQuery, (index + 1) * maxIdsPerQuery)
    return { model, condition: andAlso(idIsAnyOf(batch), guard), atLeast: batch.length }
  })
}

/**
 * Reports the problems of an error together with missing related items, so that a client learns of
 * all problems at once.
 * @throws ApiError with all problems; any other error as it is
 */
export async function refuseWithMissingRelations(
  reader: StoreReader,
  input: PayloadOperationInput,
  before: StoredValues | undefined,
  error: unknown,
): Promise<never> {
  if (!(error instanceof ApiError)) throw error
  const idsByModel = newIdsByModel(input, before)
  refuseAll(
    [
      ...error.problems,
      ...missingTargetProblems(input, idsByModel, await fetchTargets(reader, input, idsByModel)),
    ],
    error.omittedCount,
  )
  throw error
}

type NewIdsByModel = ReadonlyMap<ModelDescription, readonly PayloadValue<string>[]>

function newIdsByModel(
  { view, payload }: PayloadOperationInput,
  before: StoredValues | undefined,
): NewIdsByModel {
  const idsByModel = new Map<ModelDescription, readonly PayloadValue<string>[]>()
  for (const field of view.model.ownedRelations) {
    const ids = newIds(payload.relations.get(field.name), before?.[field.name])
    if (ids.length > 0)
      idsByModel.set(field.relatedModel, [...(idsByModel.get(field.relatedModel) ?? []), ...ids])
  }
  return idsByModel
}

function fetchTargets(
  reader: StoreReader,
  input: PayloadOperationInput,
  idsByModel: NewIdsByModel,
): Promise<RelatedItemsByModel> {
  const ids = [...idsByModel].map(
    ([model, linkage]) => [model, new Set(linkage.map((id) => id.value))] as const,
  )
  return fetchItemsByModel(reader, input, new Map(ids))
}

function missingTargetProblems(
  { missingRelatedError }: PayloadOperationInput,
  idsByModel: NewIdsByModel,
  related: RelatedItemsByModel,
): readonly Problem[] {
  return [...idsByModel].flatMap(([model, ids]) =>
    ids
      .filter((id) => !related.get(model)!.has(id.value))
      .slice(0, maxProblems)
      .map((id) => missingTargetProblem(missingRelatedError, model, id)),
  )
}

function newIds(
  linkage: LinkagePayload | undefined,
  before: unknown,
): readonly PayloadValue<string>[] {
  const existingIds = new Set([before].flat())
  if (linkage?.kind === 'one') return existingIds.has(linkage.id.value) ? [] : [linkage.id]
  return linkage?.kind === 'many' ? linkage.ids.filter((id) => !existingIds.has(id.value)) : []
}

function missingTargetProblem(
  code: MissingRelatedError,
  model: ModelDescription,
  { value, steps }: PayloadValue<string>,
): Problem {
  return problem(code, missingItemDetail(model.name, value), {
    pointer: formatPointer(steps),
  })
}
