import type { MaybePromise } from '../concurrency/maybe-promise.ts'
import type { ManyRelation, ModelDescription } from '../model/model-description.ts'
import { andAlso, idIsAnyOf } from '../query/conditions.ts'
import {
  allItemsPlan,
  type Condition,
  type OffsetPlan,
  type Position,
  type QueryPlan,
} from '../query/query-plan.ts'
import { maxIdsPerQuery } from '../store/max-ids-per-query.ts'
import type { Store, StoreFastPaths } from '../store/store.ts'
import type { StoreCall } from '../store/store-call.ts'
import type {
  RawJsonReader,
  RelatedStoredItem,
  StoredPage,
  StoreReader,
} from '../store/store-reader.ts'
import { wrapStore } from '../store/wrap-store.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import { noAccessContext } from './access-context.ts'
import type { FieldGuards } from './field-guards.ts'
import { maskItems } from './mask-items.ts'

/**
 * The store as each caller sees it: reads give items without the members that rules of fields keep
 * from the caller. Conditions and sorts are not changed here: those of clients carry guards, and
 * those of rules see everything. Transactions read and write whole items.
 */
export function maskedStore(store: Store, guards: FieldGuards): Store {
  if (guards.isEmpty) return store
  const masksFor = masksOfCaller(guards)
  const reader = maskedReader(store, guards)
  return wrapStore(store, {
    ...reader,
    fastPaths: store.fastPaths && maskedFastPaths(store.fastPaths, reader, masksFor),
  })
}

function maskedFastPaths(
  fastPaths: StoreFastPaths,
  reader: StoreReader,
  masksFor: MasksOfCaller,
): StoreFastPaths {
  const { rawJson } = fastPaths
  return {
    rawJson: rawJson && maskedRawJson(rawJson, masksFor),
    findVersion:
      fastPaths.findVersion &&
      (async (model, condition, caller) =>
        masksFor(model, caller).length === 0
          ? fastPaths.findVersion!(model, condition, caller)
          : ((await reader.find(model, condition, caller))?.hash ?? undefined)),
    ...(fastPaths.blobKeys && { blobKeys: (model) => fastPaths.blobKeys!(model) }),
  }
}

/** What one caller sees, also within a transaction, which reads whole items. */
export function readerForCaller(
  reader: StoreReader,
  guards: FieldGuards,
  caller: StoreCall,
): StoreReader {
  const masked = guards.isEmpty ? reader : maskedReader(reader, guards)
  return {
    find: (model, condition) => masked.find(model, condition, caller),
    list: (model, plan) => masked.list(model, plan, caller),
    page: (model, plan) => masked.page(model, plan, caller),
    count: (model, condition) => masked.count(model, condition, caller),
    groups: (model, plan) => masked.groups(model, plan, caller),
    relatedPages: (model, relation, owners, plan) =>
      masked.relatedPages(model, relation, owners, plan, caller),
  }
}

type MasksOfCaller = (
  model: ModelDescription,
  caller: StoreCall | undefined,
) => ReturnType<FieldGuards['masksOf']>

function masksOfCaller(guards: FieldGuards): MasksOfCaller {
  return (model, caller) =>
    guards.hasMasks(model) ? guards.masksOf(model, caller ?? noAccessContext) : []
}

/** The reading methods, with what each caller sees. */
function maskedReader(source: StoreReader, guards: FieldGuards): StoreReader {
  const masksFor = masksOfCaller(guards)
  const maskOf = (model: ModelDescription, caller: StoreCall | undefined): Mask => {
    const masks = masksFor(model, caller)
    return (items) => maskItems(source, model, items, masks)
  }
  return {
    count: (model, condition, caller) => source.count(model, condition, caller),
    groups: (model, plan, caller) => source.groups(model, plan, caller),
    find: async (model, condition, caller) => {
      const item = await source.find(model, condition, caller)
      return item && (await maskOf(model, caller)([item]))[0]
    },
    list: (model: ModelDescription, plan: QueryPlan, caller?: StoreCall) =>
      masksFor(model, caller).length === 0
        ? source.list(model, plan, caller)
        : maskedBatches(source.list(model, plan, caller), maskOf(model, caller)),
    page: async (
      model: ModelDescription,
      plan: QueryPlan,
      caller?: StoreCall,
    ): Promise<StoredPage> => {
      const page = await source.page(model, plan, caller)
      if (masksFor(model, caller).length === 0) return page
      return {
        entries: page.entries,
        items: (entries) => maskedBatches(page.items(entries), maskOf(model, caller)),
      }
    },
    relatedPages: (
      model: ModelDescription,
      relation: ManyRelation,
      owners: readonly string[],
      plan: OffsetPlan,
      caller?: StoreCall,
    ) => {
      const isShown = guards.readCondition(model, relation.name, caller ?? noAccessContext)
      const pages =
        isShown.kind === 'always'
          ? source.relatedPages(model, relation, owners, plan, caller)
          : pagesWhere(source, isShown, model, relation, owners, plan, caller)
      return masksFor(relation.relatedModel, caller).length === 0
        ? pages
        : maskedPages(pages, maskOf(relation.relatedModel, caller))
    },
  }
}

/** What one caller sees of items of one model. */
type Mask = (items: readonly StoredItem[]) => MaybePromise<readonly StoredItem[]>

async function* maskedBatches(
  batches: AsyncIterable<readonly StoredItem[]>,
  mask: Mask,
): AsyncGenerator<readonly StoredItem[]> {
  for await (const batch of batches) yield await mask(batch)
}

async function* maskedPages(
  pages: AsyncIterable<readonly RelatedStoredItem[]>,
  mask: Mask,
): AsyncGenerator<readonly RelatedStoredItem[]> {
  for await (const batch of pages) {
    const items = await mask(batch.map(({ item }) => item))
    yield batch.map((related, index) => new ShownRelatedItem(related, items[index]!))
  }
}

/** Pages of the owners whose relation the caller sees. */
async function* pagesWhere(
  source: StoreReader,
  condition: Condition,
  model: ModelDescription,
  relation: ManyRelation,
  owners: readonly string[],
  plan: OffsetPlan,
  caller: StoreCall | undefined,
): AsyncGenerator<readonly RelatedStoredItem[]> {
  const shown = new Set<string>()
  for (let start = 0; start < owners.length; start += maxIdsPerQuery) {
    const isOwner = idIsAnyOf(owners.slice(start, start + maxIdsPerQuery))
    const ownersPlan = { ...allItemsPlan, condition: andAlso(isOwner, condition) }
    for await (const batch of source.list(model, ownersPlan, caller))
      for (const { id } of batch) shown.add(id)
  }
  const shownOwners = owners.filter((id) => shown.has(id))
  if (shownOwners.length > 0) yield* source.relatedPages(model, relation, shownOwners, plan, caller)
}

/** What has to be parsed is not read as raw JSON. */
function maskedRawJson(rawJson: RawJsonReader, masksFor: MasksOfCaller): RawJsonReader {
  return {
    page: async (model, plan, relations, format, caller) =>
      masksFor(model, caller).length === 0
        ? rawJson.page(model, plan, relations, format, caller)
        : undefined,
    list: (model, plan, caller) =>
      masksFor(model, caller).length === 0 ? rawJson.list(model, plan, caller) : undefined,
  }
}

/** Computes its position on access, as the related item of the store does. */
class ShownRelatedItem implements RelatedStoredItem {
  readonly item: StoredItem
  readonly #related: RelatedStoredItem

  constructor(related: RelatedStoredItem, item: StoredItem) {
    this.item = item
    this.#related = related
  }

  get ownerId(): string {
    return this.#related.ownerId
  }

  get position(): Position {
    return this.#related.position
  }
}
