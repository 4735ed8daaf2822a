import type { Context } from '../context/context.ts'
import type { InverseField, ManyRelation } from '../model/model-description.ts'
import { fetchByIds } from '../operation/fetch-by-ids.ts'
import { compareText } from '../query/compare.ts'
import { andAlso, relatesToAny } from '../query/conditions.ts'
import { allItemsPlan, type OffsetPlan, type Position } from '../query/query-plan.ts'
import type { IncludedSelection } from '../rule/selection.ts'
import type { RelationshipPage } from '../serializer/outgoing-item.ts'
import type { StoreAccess } from '../store/store.ts'
import { storeForCaller } from '../store/store-for-caller.ts'
import { linkageOf, linkedIds } from '../stored-item/linkage.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { needsEncryptedCursors } from './cursor-encryption.ts'
import type { IncludeSource } from './include-sources.ts'
import { includedSelectionPlan } from './included-selection-plan.ts'
import { relationshipPageQuery } from './relationship-page-query.ts'
import type { RouterServices } from './router-services.ts'

/** What an owner relates to, of what was asked for, in the order asked for. */
interface OwnerLinks {
  readonly ids: readonly string[]
  readonly page: RelationshipPage | undefined
}

/** What a source leads to. */
export interface IncludeSourceItems {
  readonly batches: AsyncIterable<readonly StoredItem[]>
  /** By the owner, once the batches were read; empty where items hold it themselves. */
  links(): Iterable<readonly [string, OwnerLinks]>
}

const batchSize = 500

/** Reads what a source leads to. */
export function readIncludeSource(
  parts: RouterServices,
  context: Context,
  source: IncludeSource,
): IncludeSourceItems {
  const { relation, selection, ids } = source
  const { relatedModel } = relation
  const store = storeForCaller(parts.store, context)
  if (relation.kind === 'toOne' || !selection) {
    const guard = parts.guards.readCondition(relatedModel, context)
    if (relation.kind === 'inverse')
      return readInverseItems(store, relation, ids, { ...allItemsPlan, condition: guard })
    return {
      batches: fetchByIds(store, relatedModel, [...ids].sort(compareText), guard),
      links: () => [],
    }
  }
  const plan = includedSelectionPlan(parts, relatedModel, selection, context)
  const isWhole = plan.pageRange.limit === Number.POSITIVE_INFINITY && plan.pageRange.offset === 0
  if (relation.kind === 'inverse' && isWhole) return readInverseItems(store, relation, ids, plan)
  return readOwnerPages(parts, context, { ...source, relation, selection }, plan)
}

/**
 * All items of the other side whose relation leads to these owners, in the order of the plan, in
 * which those of each owner come too.
 */
function readInverseItems(
  store: StoreAccess,
  relation: InverseField,
  owners: ReadonlySet<string>,
  plan: OffsetPlan,
): IncludeSourceItems {
  const { relatedModel, inverseOf } = relation
  const ids = new Map(Array.from(owners, (owner): [string, string[]] => [owner, []]))
  return {
    batches: batches(),
    links: () => Array.from(ids, ([owner, ids]) => [owner, { ids, page: undefined }]),
  }

  async function* batches(): AsyncGenerator<readonly StoredItem[]> {
    const all = [...owners]
    for (let start = 0; start < all.length; start += batchSize) {
      const asked = new Set(all.slice(start, start + batchSize))
      const leadsHere = relatesToAny(inverseOf.name, inverseOf.kind, [...asked])
      for await (const batch of store.list(relatedModel, {
        ...plan,
        condition: andAlso(leadsHere, plan.condition),
      })) {
        for (const item of batch)
          for (const owner of linkedIds(linkageOf(item), inverseOf))
            if (asked.has(owner)) ids.get(owner)!.push(item.id)
        yield batch
      }
    }
  }
}

/** What an owner relates to: of the items none is held, for each owner has a last one. */
interface OwnerPage {
  readonly ids: string[]
  /** The position of the last item, once that fills the page. */
  last: Position | undefined
}

interface SourceWithSelection extends IncludeSource {
  readonly relation: ManyRelation
  readonly selection: IncludedSelection
}

/** One page of each owner, with a look at whether more follows. */
function readOwnerPages(
  parts: RouterServices,
  context: Context,
  source: SourceWithSelection,
  plan: OffsetPlan,
): IncludeSourceItems {
  const { model, relation, selection, path } = source
  const { limit, offset } = plan.pageRange
  const owners = [...source.ids]
  const places = new Map(owners.map((owner, index) => [owner, index]))
  const held = new Map(source.storedLinkage)
  const pages = new Map(
    owners.map((owner): [string, OwnerPage] => [owner, { ids: [], last: undefined }]),
  )
  const full = new Set<string>()
  const query =
    selection.size === undefined ? undefined : relationshipPageQuery(context.request.query, path)
  return {
    batches: batches(),
    links: () => Array.from(pages, ([owner, page]) => [owner, linksOf(owner, page)]),
  }

  async function* batches(): AsyncGenerator<readonly StoredItem[]> {
    const asked: OffsetPlan = { ...plan, pageRange: { kind: 'slice', offset, limit: limit + 1 } }
    for await (const batch of storeForCaller(parts.store, context).relatedPages(
      model,
      relation,
      owners,
      asked,
    )) {
      const items: StoredItem[] = []
      // Stores answer owners in any order; in a document they come in the order in which they were
      // met.
      const inOrder = [...batch].sort(
        (one, other) => places.get(one.ownerId)! - places.get(other.ownerId)!,
      )
      for (const related of inOrder) {
        const page = pages.get(related.ownerId)!
        if (page.ids.length === limit) full.add(related.ownerId)
        else {
          page.ids.push(related.item.id)
          if (query !== undefined && page.ids.length === limit) page.last = related.position
          items.push(related.item)
        }
      }
      yield items
    }
  }

  function linksOf(owner: string, { ids, last }: OwnerPage): OwnerLinks {
    if (query !== undefined) {
      const after = full.has(owner) && last ? cursorOf(last) : undefined
      return { ids, page: { query, after } }
    }
    const isOrdered = relation.kind === 'inverse' || plan.sort.length > 0
    return { ids: isOrdered ? ids : inStoredOrder(held.get(owner) ?? [], ids), page: undefined }
  }

  function cursorOf(position: Position): string {
    const isSealed = needsEncryptedCursors(parts, parts.views.of(relation.relatedModel), plan.sort)
    return parts.cursorCodec.encode(plan.sort, position, isSealed)
  }
}

/** A relation that the item holds has an order of its own. */
function inStoredOrder(held: readonly string[], ids: readonly string[]): readonly string[] {
  const wanted = new Set(ids)
  return held.filter((id) => wanted.has(id))
}
