import { hasReachedMaxProblems } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import { refusalsOf } from '../../error/refusals.ts'
import { formatPointer } from '../../http/json/json-pointer.ts'
import type { InverseField } from '../../model/model-description.ts'
import { toWordsWithArticle } from '../../model/naming.ts'
import { andAlso, idEquals } from '../../query/conditions.ts'
import { missingRelatedErrors } from '../../rule/request-shape.ts'
import type { LinkagePayload, PayloadValue } from '../../serializer/payload.ts'
import type { StoreTransaction } from '../../store/store-transaction.ts'
import { fetchByIds } from '../fetch-by-ids.ts'
import { missingItemDetail } from '../missing-item-detail.ts'
import type { PayloadOperationInput } from '../operation-input.ts'

const ownErrors = ['precondition-required', ...missingRelatedErrors, 'forbidden'] as const

export const inverseChangeErrors: readonly ErrorCode[] = [...ownErrors]

const { problem, refuse } = refusalsOf(ownErrors)

/**
 * If the related model requires `If-Match`, a tag of the owner does not say which versions of the
 * related items the client knows: only `*` allows the change.
 * @throws ApiError `precondition-required`
 */
export function refuseWithoutIfMatch(
  { precondition, views }: PayloadOperationInput,
  { relatedModel, inverseOf }: InverseField,
): void {
  if (
    !views.of(relatedModel).requiresIfMatch ||
    (precondition.kind === 'ifMatch' && precondition.tags === 'any')
  )
    return
  throw refuse(
    'precondition-required',
    `Changing ${toWordsWithArticle(relatedModel.name)} requires If-Match. Change '${inverseOf.wireName}' of each item with its own ETag, or send If-Match: * to accept any version.`,
    { header: 'If-Match' },
  )
}

/** The added items that exist and that the caller may see; others are problems. */
export async function findAddedItems(
  transaction: StoreTransaction,
  { guards, context, missingRelatedError }: PayloadOperationInput,
  { relatedModel }: InverseField,
  addedIds: readonly PayloadValue<string>[],
  problems: Problem[],
): Promise<readonly string[]> {
  const foundIds = new Set<string>()
  const ids = addedIds.map((id) => id.value)
  for await (const batch of fetchByIds(
    transaction,
    relatedModel,
    ids,
    guards.readCondition(relatedModel, context),
  ))
    for (const item of batch) foundIds.add(item.id)
  for (const { value, steps } of addedIds) {
    if (hasReachedMaxProblems(problems)) break
    const detail = missingItemDetail(relatedModel.name, value)
    if (!foundIds.has(value))
      problems.push(problem(missingRelatedError, detail, { pointer: formatPointer(steps) }))
  }
  return [...foundIds]
}

/** A change of the related item is one of its own model's updates. */
export async function refuseUnwritable(
  transaction: StoreTransaction,
  { guards, context }: PayloadOperationInput,
  { relatedModel, inverseOf }: InverseField,
  ids: readonly string[],
  idPayloads: ReadonlyMap<string, PayloadValue<string>>,
  payload: LinkagePayload,
  problems: Problem[],
): Promise<void> {
  for (const id of ids) {
    const guard = andAlso(
      guards.writeCondition(relatedModel, context, id),
      guards.fields.writeCondition(relatedModel, inverseOf.name, context),
    )
    if (
      guard.kind === 'always' ||
      (await transaction.find(relatedModel, andAlso(guard, idEquals(id))))
    )
      continue
    if (hasReachedMaxProblems(problems)) return
    const steps =
      idPayloads.get(id)?.steps ?? (payload.kind === 'one' ? payload.id.steps : payload.steps)
    problems.push(
      problem('forbidden', `You are not allowed to change the ${relatedModel.name} '${id}'.`, {
        pointer: formatPointer(steps),
      }),
    )
  }
}
