import type { ManyRelation, ModelDescription, OwnedRelation } from '../model/model-description.ts'
import type { GroupPlan, ItemGroup } from '../query/group-plan.ts'
import type { Condition, OffsetPlan, Position, QueryPlan } from '../query/query-plan.ts'
import type { RawLineFormat } from '../stored-item/raw-lines.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { StoreCall } from './store-call.ts'

/** Where an item stands in the order of a list. */
export interface PageEntry {
  readonly id: string
  readonly position: Position
}

/** A page of a list. Its entries are known; the items are read later. */
export interface StoredPage {
  readonly entries: readonly PageEntry[]
  /**
   * The items of some entries of the page, in the order of the entries. Batches are never empty,
   * and are read as they are consumed. Items that were removed since, or no longer satisfy the
   * condition, are left out.
   */
  items(entries: readonly PageEntry[]): AsyncIterable<readonly StoredItem[]>
}

/** An item that an owner relates to, with its position among the items of that owner. */
export interface RelatedStoredItem {
  readonly ownerId: string
  readonly item: StoredItem
  readonly position: Position
}

/**
 * The reading methods of a store. Each reads the items of one model. Plans and conditions name
 * fields by the model's own names, not by wire names, and may use hidden fields: the router has
 * already checked what the client may ask for.
 */
export interface StoreReader {
  /** The one item that satisfies the condition. The condition contains its id. */
  find(
    model: ModelDescription,
    condition: Condition,
    call?: StoreCall,
  ): Promise<StoredItem | undefined>
  /**
   * The items of the plan, in its order. Batches are never empty, and are read as they are
   * consumed. The store yields to other requests between batches. The list is not a snapshot: an
   * item that is written meanwhile appears in its old or its new form. But no item appears twice,
   * and none is missing because its position changed.
   */
  list(
    model: ModelDescription,
    plan: QueryPlan,
    call?: StoreCall,
  ): AsyncIterable<readonly StoredItem[]>
  /** One page of at most `limit` items. The limit of the plan is finite. */
  page(model: ModelDescription, plan: QueryPlan, call?: StoreCall): Promise<StoredPage>
  /** How many items satisfy the condition. */
  count(model: ModelDescription, condition: Condition, call?: StoreCall): Promise<number>
  /**
   * The groups of the items that satisfy the condition of the plan, and what their values add up
   * to. Results are exact, and the same in every store. Without keys, there is one group.
   */
  groups(model: ModelDescription, plan: GroupPlan, call?: StoreCall): Promise<readonly ItemGroup[]>
  /**
   * One page for each owner: the related items that the plan selects. `relation` belongs to
   * `model`; the plan is about the related items. Batches are never empty, and are read as they are
   * consumed. The items of one owner follow each other in the order of the plan; owners come in any
   * order. An item that several owners relate to is repeated for each of them.
   */
  relatedPages(
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
    call?: StoreCall,
  ): AsyncIterable<readonly RelatedStoredItem[]>
}

/** A page of items as raw JSON. */
export interface RawJsonPage {
  /** One item on each line, in UTF-8, without a line feed at the end. */
  readonly lines: Uint8Array
  /** Position of the first item; set only if the page was requested by a position. */
  readonly firstPosition: Position | undefined
  /** Position of the last item; undefined if the page is empty. */
  readonly lastPosition: Position | undefined
  /** Is there an item after the last one? */
  readonly hasMore: boolean
  /** The distinct ids that each of the requested relations holds, in any order. */
  readonly linkedIds: ReadonlyMap<OwnedRelation, readonly string[]>
}

/**
 * Reads lists as raw JSON, without parsing items: an optional optimization of a store. The result
 * is undefined if the store cannot do so for the plan, or if the page is too large for memory; else
 * it equals the result of `page` or `list`.
 */
export interface RawJsonReader {
  page(
    model: ModelDescription,
    plan: QueryPlan,
    relations: readonly OwnedRelation[],
    format: RawLineFormat,
    call?: StoreCall,
  ): Promise<RawJsonPage | undefined>
  /**
   * The items, separated by commas, under the same terms as {@link StoreReader.list}. The reader of
   * a batch owns it and may free its memory.
   */
  list(
    model: ModelDescription,
    plan: QueryPlan,
    call?: StoreCall,
  ): AsyncIterable<Uint8Array> | undefined
}
