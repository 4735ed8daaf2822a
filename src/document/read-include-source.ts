import type { Context } from '../context/context.ts'
import type { InverseField, ManyRelation } from '../model/model-description.ts'
import { fetchByIds } from '../operation/fetch-by-ids.ts'
import { compareText } from '../query/compare.ts'
import { andAlso, relatesToAny } from '../query/conditions.ts'
import { allItemsPlan, type OffsetPlan, type Position } from '../query/query-plan.ts'
import { queryBoundsOf } from '../rule/parameter/query-bounds.ts'
import type { IncludedSelection } from '../rule/selection.ts'
import type { RelationshipPage } from '../serializer/outgoing-item.ts'
import { type ReadAccess, storeForCaller } from '../store/store-for-caller.ts'
import type { RelatedStoredItem } from '../store/store-reader.ts'
import { linkedIdsReader } from '../stored-item/linkage.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { needsEncryptedCursors } from './cursor-encryption.ts'
import type { DocumentServices } from './document-services.ts'
import type { IncludeSource } from './include-sources.ts'
import { includedSelectionPlan } from './included-selection-plan.ts'
import { relationshipPageQuery } from './relationship-page-query.ts'

/** The ids that an owner relates to, as selected, in the selected order. */
interface OwnerLinks {
  readonly ids: readonly string[]
  readonly page: RelationshipPage | undefined
}

/** The items behind a source. */
export interface IncludeSourceItems {
  readonly batches: AsyncIterable<readonly StoredItem[]>
  /** By owner, after the batches were read; empty where items hold the ids themselves. */
  links(): Iterable<readonly [string, OwnerLinks]>
}

const batchSize = 500

export function readIncludeSource(
  services: DocumentServices,
  context: Context,
  source: IncludeSource,
): IncludeSourceItems {
  const { relation, selection, ids } = source
  const { relatedModel } = relation
  const store = storeForCaller(services.store, context)
  const isLinked = services.guards.fields.linkCondition(relation, context)
  if (relation.kind === 'toOne' || !selection) {
    const guard = andAlso(services.guards.readCondition(relatedModel, context), isLinked)
    if (relation.kind === 'inverse')
      return readInverseItems(store, relation, ids, { ...allItemsPlan, condition: guard })
    return {
      batches: fetchByIds(store, relatedModel, [...ids].sort(compareText), guard),
      links: () => [],
    }
  }
  const selected = includedSelectionPlan(services, relatedModel, selection, context)
  const plan = { ...selected, condition: andAlso(selected.condition, isLinked) }
  const isWhole = plan.pageRange.limit === Number.POSITIVE_INFINITY && plan.pageRange.offset === 0
  if (relation.kind === 'inverse' && isWhole) return readInverseItems(store, relation, ids, plan)
  return readOwnerPages(services, context, { ...source, relation, selection }, plan)
}

/** All items whose relation leads to these owners, in the order of the plan. */
function readInverseItems(
  store: ReadAccess,
  relation: InverseField,
  owners: ReadonlySet<string>,
  plan: OffsetPlan,
): IncludeSourceItems {
  const ids = new Map(Array.from(owners, (ownerId): [string, string[]] => [ownerId, []]))
  return {
    batches: inverseBatches(store, relation, plan, ids),
    links: () => Array.from(ids, ([ownerId, ids]) => [ownerId, { ids, page: undefined }]),
  }
}

/** @param idsByOwner the generator adds the ids that it reads */
async function* inverseBatches(
  store: ReadAccess,
  { relatedModel, inverseOf }: InverseField,
  plan: OffsetPlan,
  idsByOwner: ReadonlyMap<string, string[]>,
): AsyncGenerator<readonly StoredItem[]> {
  const owners = [...idsByOwner.keys()]
  const ownerIdsOf = linkedIdsReader(relatedModel, inverseOf)
  for (let start = 0; start < owners.length; start += batchSize) {
    const batchOwners = new Set(owners.slice(start, start + batchSize))
    const relatesToBatch = relatesToAny(inverseOf.name, inverseOf.kind, [...batchOwners])
    for await (const batch of store.list(relatedModel, {
      ...plan,
      condition: andAlso(relatesToBatch, plan.condition),
    })) {
      for (const item of batch)
        for (const ownerId of ownerIdsOf(item))
          if (batchOwners.has(ownerId)) idsByOwner.get(ownerId)!.push(item.id)
      yield batch
    }
  }
}

/** The page of one owner. It keeps ids only, because there is one page for each owner. */
interface OwnerPage {
  readonly ids: string[]
  /** The position of the last item, once the page is full. */
  last: Position | undefined
  hasMore: boolean
}

interface SourceWithSelection extends IncludeSource {
  readonly relation: ManyRelation
  readonly selection: IncludedSelection
}

/** Reads one page for each owner, and one more item to know whether more follow. */
function readOwnerPages(
  services: DocumentServices,
  context: Context,
  source: SourceWithSelection,
  plan: OffsetPlan,
): IncludeSourceItems {
  const { model, relation, selection, path } = source
  const { limit, offset } = plan.pageRange
  const owners = [...source.ids]
  const storedLinkage = new Map(source.storedLinkage)
  const pages = new Map(
    owners.map((ownerId): [string, OwnerPage] => [
      ownerId,
      { ids: [], last: undefined, hasMore: false },
    ]),
  )
  const query =
    selection.size === undefined ? undefined : relationshipPageQuery(context.request.query, path)
  const isTooLong =
    query !== undefined && query.length > queryBoundsOf(context.rule).maxLinkedLength
  const batches = storeForCaller(services.store, context).relatedPages(model, relation, owners, {
    ...plan,
    pageRange: { kind: 'offset', offset, limit: limit + 1 },
  })
  return {
    batches: ownerPageBatches(batches, pages, limit, query !== undefined),
    links: () => Array.from(pages, ([ownerId, page]) => [ownerId, linksOf(ownerId, page)]),
  }

  function linksOf(ownerId: string, { ids, last, hasMore }: OwnerPage): OwnerLinks {
    if (query !== undefined) {
      const after = hasMore && last ? cursorOf(last) : undefined
      return { ids, page: isTooLong ? undefined : { query, after } }
    }
    const isOrdered = relation.kind === 'inverse' || plan.sort.length > 0
    return {
      ids: isOrdered ? ids : inStoredOrder(storedLinkage.get(ownerId) ?? [], ids),
      page: undefined,
    }
  }

  function cursorOf(position: Position): string {
    const isEncrypted = needsEncryptedCursors(
      services,
      services.views.of(relation.relatedModel),
      plan.sort,
    )
    return services.cursorCodec.encode(plan.sort, position, isEncrypted)
  }
}

/** @param pages in the order of the document; the generator adds the ids that it reads */
async function* ownerPageBatches(
  batches: AsyncIterable<readonly RelatedStoredItem[]>,
  pages: ReadonlyMap<string, OwnerPage>,
  limit: number,
  hasPositions: boolean,
): AsyncGenerator<readonly StoredItem[]> {
  const ownerIndexes = new Map(Array.from(pages.keys(), (ownerId, index) => [ownerId, index]))
  for await (const batch of batches) {
    const items: StoredItem[] = []
    // Stores return owners in any order.
    const inOrder = [...batch].sort(
      (first, other) => ownerIndexes.get(first.ownerId)! - ownerIndexes.get(other.ownerId)!,
    )
    for (const related of inOrder) {
      const page = pages.get(related.ownerId)!
      if (page.ids.length === limit) page.hasMore = true
      else {
        page.ids.push(related.item.id)
        if (hasPositions && page.ids.length === limit) page.last = related.position
        items.push(related.item)
      }
    }
    yield items
  }
}

/** A relation that the item holds keeps its own order. */
function inStoredOrder(
  storedLinkage: readonly string[],
  ids: readonly string[],
): readonly string[] {
  const selectedIds = new Set(ids)
  return storedLinkage.filter((id) => selectedIds.has(id))
}
