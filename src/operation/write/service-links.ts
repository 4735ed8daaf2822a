import { refuseAll } from '../../error/api-error.ts'
import type { ErrorCode } from '../../error/catalog.ts'
import type { Problem } from '../../error/problem.ts'
import type { ModelDescription, ToOneField } from '../../model/model-description.ts'
import { always, idEquals } from '../../query/conditions.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { ExpectedCount } from '../../store/store-transaction.ts'
import type { StoredItem, StoredValues } from '../../stored-item/stored-item.ts'
import { fetchByIds } from '../fetch-by-ids.ts'
import type { PayloadOperationInput } from '../operation-input.ts'
import type { RelatedItemsByModel } from '../related-items.ts'
import { isChosenByClient } from './sent-member.ts'
import { missingServiceTarget, serviceMemberErrors } from './service-members.ts'

export const serviceLinkErrors: readonly ErrorCode[] = [...serviceMemberErrors]

/** The ids of a new item that need not be visible to the client. */
export function withServiceLinks(
  input: PayloadOperationInput,
  selfReferences: StoredValues,
): StoredValues {
  const links = linksOf(input).map(({ field: { name }, id }) => [
    name,
    [...[selfReferences[name] ?? []].flat(), id],
  ])
  return links.length === 0 ? selfReferences : { ...selfReferences, ...Object.fromEntries(links) }
}

/**
 * The items that these relations lead to, whether or not the client may see them.
 * @throws ApiError `forbidden` for one that does not exist: the client cannot choose another
 */
export async function findServiceTargets(
  reader: StoreReader,
  input: PayloadOperationInput,
): Promise<RelatedItemsByModel> {
  const targets = new Map<ModelDescription, Map<string, StoredItem>>()
  const problems: Problem[] = []
  for (const { field, id } of linksOf(input)) {
    const { relatedModel } = field
    const items = targets.get(relatedModel) ?? new Map<string, StoredItem>()
    targets.set(relatedModel, items)
    for await (const batch of fetchByIds(reader, relatedModel, [id], always))
      for (const item of batch) items.set(item.id, item)
    if (!items.has(id)) problems.push(missingServiceTarget(input, field, id))
  }
  refuseAll(problems)
  return targets
}

/**
 * The same without reading the items. An item that a transaction has read must not change until it
 * is written, and others may write the rollups of these at any time.
 */
export function serviceTargetCounts(input: PayloadOperationInput): readonly ExpectedCount[] {
  return linksOf(input).map(({ field, id }) => ({
    model: field.relatedModel,
    condition: idEquals(id),
    atLeast: 1,
  }))
}

function linksOf(input: PayloadOperationInput) {
  const { view, payload } = input
  if (view.isForService) return []
  return view.model.serviceFields.flatMap((field): { field: ToOneField; id: string }[] => {
    const linkage = field.kind === 'toOne' ? payload.relations.get(field.name) : undefined
    return field.kind === 'toOne' && linkage?.kind === 'one' && !isChosenByClient(input, field)
      ? [{ field, id: linkage.id.value }]
      : []
  })
}
