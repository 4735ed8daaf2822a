import type { ManyRelation, ModelDescription } from '../model/model-description.ts'
import { andAlso, idIsAnyOf } from '../query/conditions.ts'
import {
  allItemsPlan,
  type Condition,
  type OffsetPlan,
  type Position,
  type QueryPlan,
} from '../query/query-plan.ts'
import type { Caller } from '../store/caller.ts'
import { maxIdsPerQuery } from '../store/max-ids-per-query.ts'
import type { Store } from '../store/store.ts'
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
    rawJson: store.rawJson && maskedRawJson(store.rawJson, masksFor),
    findVersion:
      store.findVersion &&
      (async (model: ModelDescription, condition: Condition, caller?: Caller) =>
        masksFor(model, caller).length === 0
          ? store.findVersion!(model, condition, caller)
          : ((await reader.find(model, condition, caller))?.hash ?? undefined)),
  })
}

/** What one caller sees, also within a transaction, which reads whole items. */
export function readerForCaller(
  reader: StoreReader,
  guards: FieldGuards,
  caller: Caller,
): StoreReader {
  const masked = guards.isEmpty ? reader : maskedReader(reader, guards)
  return {
    find: (model, condition) => masked.find(model, condition, caller),
    list: (model, plan) => masked.list(model, plan, caller),
    page: (model, plan) => masked.page(model, plan, caller),
    count: (model, condition) => masked.count(model, condition, caller),
    relatedPages: (model, relation, owners, plan) =>
      masked.relatedPages(model, relation, owners, plan, caller),
  }
}

type MasksOfCaller = (
  model: ModelDescription,
  caller: Caller | undefined,
) => ReturnType<FieldGuards['masksOf']>

function masksOfCaller(guards: FieldGuards): MasksOfCaller {
  return (model, caller) =>
    guards.hasMasks(model) ? guards.masksOf(model, caller ?? noAccessContext) : []
}

/** The reading methods, with what each caller sees. */
function maskedReader(source: StoreReader, guards: FieldGuards): StoreReader {
  const masksFor = masksOfCaller(guards)
  const mask = async (
    model: ModelDescription,
    items: readonly StoredItem[],
    caller: Caller | undefined,
  ) => maskItems(source, model, items, masksFor(model, caller))
  async function* batches(
    model: ModelDescription,
    all: AsyncIterable<readonly StoredItem[]>,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly StoredItem[]> {
    for await (const batch of all) yield mask(model, batch, caller)
  }
  async function* relatedBatches(
    model: ModelDescription,
    pages: AsyncIterable<readonly RelatedStoredItem[]>,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly RelatedStoredItem[]> {
    for await (const batch of pages) {
      const items = await mask(
        model,
        batch.map(({ item }) => item),
        caller,
      )
      yield batch.map((related, index) => new ShownRelatedItem(related, items[index]!))
    }
  }
  /** Of the owners whose relation the caller sees. */
  async function* pagesWhere(
    condition: Condition,
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
    caller: Caller | undefined,
  ): AsyncGenerator<readonly RelatedStoredItem[]> {
    const shown = new Set<string>()
    for (let start = 0; start < owners.length; start += maxIdsPerQuery) {
      const isOwner = idIsAnyOf(owners.slice(start, start + maxIdsPerQuery))
      const ownersPlan = { ...allItemsPlan, condition: andAlso(isOwner, condition) }
      for await (const batch of source.list(model, ownersPlan, caller))
        for (const { id } of batch) shown.add(id)
    }
    const shownOwners = owners.filter((id) => shown.has(id))
    if (shownOwners.length > 0)
      yield* source.relatedPages(model, relation, shownOwners, plan, caller)
  }
  return {
    count: (model, condition, caller) => source.count(model, condition, caller),
    find: async (model, condition, caller) => {
      const item = await source.find(model, condition, caller)
      return item && (await mask(model, [item], caller))[0]
    },
    list: (model: ModelDescription, plan: QueryPlan, caller?: Caller) =>
      masksFor(model, caller).length === 0
        ? source.list(model, plan, caller)
        : batches(model, source.list(model, plan, caller), caller),
    page: async (
      model: ModelDescription,
      plan: QueryPlan,
      caller?: Caller,
    ): Promise<StoredPage> => {
      const page = await source.page(model, plan, caller)
      if (masksFor(model, caller).length === 0) return page
      return {
        entries: page.entries,
        items: (entries) => batches(model, page.items(entries), caller),
      }
    },
    relatedPages: (
      model: ModelDescription,
      relation: ManyRelation,
      owners: readonly string[],
      plan: OffsetPlan,
      caller?: Caller,
    ) => {
      const isShown = guards.readCondition(model, relation.name, caller ?? noAccessContext)
      const pages =
        isShown.kind === 'always'
          ? source.relatedPages(model, relation, owners, plan, caller)
          : pagesWhere(isShown, model, relation, owners, plan, caller)
      return masksFor(relation.relatedModel, caller).length === 0
        ? pages
        : relatedBatches(relation.relatedModel, pages, caller)
    },
  }
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
