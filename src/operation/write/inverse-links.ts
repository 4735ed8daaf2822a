import type { InverseField } from '../../model/model-description.ts'
import { allOf, andAlso, relatesToAny } from '../../query/conditions.ts'
import { allItemsPlan, type Condition } from '../../query/query-plan.ts'
import type { StoreReader } from '../../store/store-reader.ts'
import type { StoredItem } from '../../stored-item/stored-item.ts'
import { fetchByIds } from '../fetch-by-ids.ts'
import type { OperationInput } from '../operation-input.ts'

type GuardedInput = Pick<OperationInput, 'guards' | 'context'>

/** How the ids of a relation change. */
export type LinkageChange = 'add' | 'replace' | 'remove'

/**
 * The items that an inverse relation leads to, and that the caller may see, in batches and in the
 * order of ids.
 */
export function inverseRelatedItems(
  reader: StoreReader,
  input: GuardedInput,
  relation: InverseField,
  ownerId: string,
): AsyncIterable<readonly StoredItem[]> {
  const condition = inverseLinkCondition(input, relation, ownerId)
  return reader.list(relation.relatedModel, { ...allItemsPlan, condition })
}

/** What these items satisfy. */
export function inverseLinkCondition(
  { guards, context }: GuardedInput,
  relation: InverseField,
  ownerId: string,
): Condition {
  const { relatedModel, inverseOf } = relation
  return allOf([
    relatesToAny(inverseOf.name, inverseOf.kind, [ownerId]),
    guards.readCondition(relatedModel, context),
    guards.fields.linkCondition(relation, context),
  ])
}

/**
 * The related items that stay, and those that leave. Only a replacement has to look at items that
 * the payload does not name.
 */
export async function currentLinks(
  reader: StoreReader,
  input: GuardedInput,
  ownerId: string,
  relation: InverseField,
  payloadIds: ReadonlyMap<string, unknown>,
  change: LinkageChange,
): Promise<{ readonly staying: ReadonlySet<string>; readonly leaving: readonly string[] }> {
  const staying = new Set<string>()
  const leaving: string[] = []
  const { inverseOf, relatedModel } = relation
  const { guards, context } = input
  const guard = andAlso(
    guards.readCondition(relatedModel, context),
    guards.fields.linkCondition(relation, context),
  )
  const relatedItems =
    change === 'replace'
      ? inverseRelatedItems(reader, input, relation, ownerId)
      : fetchByIds(
          reader,
          relatedModel,
          [...payloadIds.keys()],
          andAlso(relatesToAny(inverseOf.name, inverseOf.kind, [ownerId]), guard),
        )
  for await (const batch of relatedItems) {
    for (const item of batch) {
      if (payloadIds.has(item.id) === (change === 'remove')) leaving.push(item.id)
      else staying.add(item.id)
    }
  }
  return { staying, leaving }
}

/** The ids of the related item after the owner was added or removed. */
export function changedLinkage(ids: unknown, ownerId: string, isLeaving: boolean): unknown {
  if (!Array.isArray(ids)) return isLeaving ? null : ownerId
  if (isLeaving) return ids.filter((id) => id !== ownerId)
  // Whoever does not see a link may add it again.
  return ids.includes(ownerId) ? ids : [...ids, ownerId]
}
