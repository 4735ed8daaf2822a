import type { InverseField } from '../../model/model-description.ts'
import { allOf, andAlso, idIsAnyOf, relatesToAny } from '../../query/conditions.ts'
import type { LinkagePayload } from '../../serializer/payload.ts'
import { maxIdsPerQuery } from '../../store/max-ids-per-query.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { PayloadOperationInput } from '../operation-input.ts'

/** Are these the items that relate to the owner, of those that the caller sees? */
export async function isUnchangedInverse(
  reader: StoreReader,
  { guards, context }: Pick<PayloadOperationInput, 'guards' | 'context'>,
  ownerId: string | undefined,
  relation: InverseField,
  linkage: LinkagePayload,
): Promise<boolean> {
  const { relatedModel, inverseOf } = relation
  const ids = linkage.kind === 'many' ? linkage.ids.map((id) => id.value) : []
  if (ownerId === undefined) return ids.length === 0
  const related = allOf([
    relatesToAny(inverseOf.name, inverseOf.kind, [ownerId]),
    guards.readCondition(relatedModel, context),
    guards.fields.linkCondition(relation, context),
  ])
  if ((await reader.count(relatedModel, related)) !== ids.length) return false
  for (let start = 0; start < ids.length; start += maxIdsPerQuery) {
    const chunkIds = ids.slice(start, start + maxIdsPerQuery)
    if (
      (await reader.count(relatedModel, andAlso(idIsAnyOf(chunkIds), related))) !== chunkIds.length
    )
      return false
  }
  return true
}
