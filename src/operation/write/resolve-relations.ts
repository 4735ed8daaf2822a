import { ApiError, maxProblems, refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import { type Problem, problem } from '../../error/problem.ts'
import { truncate } from '../../error/truncate.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { ModelDescription } from '../../model/model-description.ts'
import type { LinkagePayload, PayloadValue } from '../../serializer/payload.ts'
import type { StoreReader } from '../../store/store.ts'
import type { StoredValues } from '../../stored-item/stored-item.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import { fetchItemsByModel, type RelatedItemsByModel } from '../related-items.ts'

/**
 * Looks up every item that the sent relations name.
 * @param before what the item related to already, as far as the caller may see it: it is taken on
 * trust
 * @throws ApiError `related-not-found`, or what the rule says instead, for each that is missing, or
 * hidden from the caller.
 */
export async function resolveRelations(
  reader: StoreReader,
  job: PayloadOperationInput,
  before: StoredValues | undefined,
): Promise<RelatedItemsByModel> {
  const wanted = newIdsByModel(job, before)
  const related = await fetchTargets(reader, job, wanted)
  refuseAll(missingTargetProblems(job, wanted, related))
  return related
}

/**
 * Refuses what `error` says of values that do not fit, together with relations that lead nowhere: a
 * client hears of all its faults at once.
 * @throws ApiError with all of them, or what else the error was
 */
export async function refuseWithMissingRelations(
  reader: StoreReader,
  job: PayloadOperationInput,
  before: StoredValues | undefined,
  error: unknown,
): Promise<never> {
  if (!(error instanceof ApiError)) throw error
  const wanted = newIdsByModel(job, before)
  refuseAll(
    [
      ...error.problems,
      ...missingTargetProblems(job, wanted, await fetchTargets(reader, job, wanted)),
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
  const wanted = new Map<ModelDescription, readonly PayloadValue<string>[]>()
  for (const field of view.model.ownedRelations) {
    const ids = newIds(payload.relations.get(field.name), before?.[field.name])
    if (ids.length > 0)
      wanted.set(field.relatedModel, [...(wanted.get(field.relatedModel) ?? []), ...ids])
  }
  return wanted
}

function fetchTargets(
  reader: StoreReader,
  job: PayloadOperationInput,
  wanted: NewIdsByModel,
): Promise<RelatedItemsByModel> {
  const ids = [...wanted].map(
    ([target, sent]) => [target, new Set(sent.map((id) => id.value))] as const,
  )
  return fetchItemsByModel(reader, job, new Map(ids))
}

function missingTargetProblems(
  { missingRelatedError }: PayloadOperationInput,
  wanted: NewIdsByModel,
  related: RelatedItemsByModel,
): readonly Problem[] {
  return [...wanted].flatMap(([target, ids]) =>
    ids
      .filter((id) => !related.get(target)!.has(id.value))
      .slice(0, maxProblems)
      .map((id) => missingTargetProblem(missingRelatedError, target, id)),
  )
}

function newIds(
  sent: LinkagePayload | undefined,
  before: unknown,
): readonly PayloadValue<string>[] {
  const known = new Set([before].flat())
  if (sent?.kind === 'one') return known.has(sent.id.value) ? [] : [sent.id]
  return sent?.kind === 'many' ? sent.ids.filter((id) => !known.has(id.value)) : []
}

function missingTargetProblem(
  code: ErrorCode,
  target: ModelDescription,
  { value, steps }: PayloadValue<string>,
): Problem {
  return problem(code, `There is no ${target.name} with the id '${truncate(value, 128)}'.`, {
    pointer: formatPointer(steps),
  })
}
