import type { ManyRelation, ModelDescription, OwnedRelation } from '../model/model-description.ts'
import type { Condition, OffsetPlan, Position, QueryPlan } from '../query/query-plan.ts'
import type { RawLineFormat } from '../stored-item/raw-lines.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'

/** Where an item stands in the order of a list. */
export interface PageEntry {
  readonly id: string
  readonly position: Position
}

/** A page of a list: its order is settled, the items are read when they are asked for. */
export interface StoredPage {
  readonly entries: readonly PageEntry[]
  /**
   * The items at these of the page's places, in their order, in batches (never an empty one) that
   * are read only when asked for: those of few bytes are at hand, further ones are read a few at a
   * time. One that was removed since, or no longer satisfies the condition, is left out.
   */
  items(places: readonly PageEntry[]): AsyncIterable<readonly StoredItem[]>
}

/** An item that an owner relates to, with its place among all that this owner relates to. */
export interface RelatedStoredItem {
  readonly ownerId: string
  readonly item: StoredItem
  readonly position: Position
}

/** Who waits for an answer of the store. The context of a request is one. */
export interface Caller {
  /**
   * Aborted when nobody waits any more: the store then drops what is still queued, stops what is
   * under way within a second, and rejects with the signal's reason. It is read only where work may
   * take long, for it may be made when it is first read.
   */
  readonly signal: AbortSignal
  /**
   * May its transaction change more than a few items? Stores see to it that it can be undone at
   * once, however many they are.
   */
  readonly mayChangeMany?: boolean
}

/**
 * Reads of one collection at a time. Every plan and condition names fields by the model's own names
 * (not the wire names), and may reach hidden fields: what clients may ask is decided before.
 */
export interface StoreReader {
  /** The one item that satisfies the condition, which contains its id. */
  find(model: ModelDescription, condition: Condition): Promise<StoredItem | undefined>
  /**
   * The items of the plan in its order, in batches (never an empty one) that are read only when
   * asked for. Between two batches other requests are served. It is not one snapshot: an item
   * written meanwhile is seen in its old or its new form. None is seen twice, and none is lost
   * because its place in the order changes.
   */
  list(
    model: ModelDescription,
    plan: QueryPlan,
    caller?: Caller,
  ): AsyncIterable<readonly StoredItem[]>
  /** At most the plan's limit of items, which is finite. */
  page(model: ModelDescription, plan: QueryPlan, caller?: Caller): Promise<StoredPage>
  /** How many items satisfy the condition. */
  count(model: ModelDescription, condition: Condition, caller?: Caller): Promise<number>
  /**
   * One page for each owner, all asked for at once: of the items that the relation of the `model`
   * leads to from that owner, those of the plan, which is about these items. In batches (never an
   * empty one) that are read only when asked for; the page of an owner stands together, in the
   * order of the plan, and owners come in any order. An item that several owners relate to comes
   * for each of them.
   */
  relatedPages(
    model: ModelDescription,
    relation: ManyRelation,
    owners: readonly string[],
    plan: OffsetPlan,
    caller?: Caller,
  ): AsyncIterable<readonly RelatedStoredItem[]>
}

/** Items, each in a form that has no line feeds in it. */
export interface RawJsonPage {
  /** One item a line, in UTF-8, without a line feed at the end. */
  readonly lines: Uint8Array
  /**
   * Where it begins: told only of a page that lies behind a position, for only before such a one
   * another is asked for by position.
   */
  readonly firstPosition: Position | undefined
  /** Where it ends; undefined where it is empty. */
  readonly lastPosition: Position | undefined
  /** Does another item follow? */
  readonly hasMore: boolean
  /** The identifiers that each of the wanted relations holds, each once, in no order. */
  readonly linkedIds: ReadonlyMap<OwnedRelation, readonly string[]>
}

/**
 * A faster way to lists that send items as they are stored, for stores that have one. Each answer
 * is undefined where the store has none for that plan, or the page is too large to be in memory as
 * a whole; what is answered equals what `page` and `list` would give.
 */
export interface RawJsonReader {
  page(
    model: ModelDescription,
    plan: QueryPlan,
    linked: readonly OwnedRelation[],
    line: RawLineFormat,
    caller?: Caller,
  ): Promise<RawJsonPage | undefined>
  /**
   * With commas between, in batches, never an empty one, under the same terms as `list`. Each batch
   * is the reader's: it may be freed once it is sent, so who wants to keep one copies it.
   */
  list(
    model: ModelDescription,
    plan: QueryPlan,
    caller?: Caller,
  ): AsyncIterable<Uint8Array> | undefined
}

/**
 * What became of a write. `taken` names the unique field (the model's own name) whose value another
 * item holds.
 */
export type WriteOutcome =
  | { readonly kind: 'written' }
  | { readonly kind: 'exists' }
  | { readonly kind: 'taken'; readonly field: string }

/**
 * Reads and writes inside one transaction: reads see its own writes, and nothing is visible outside
 * before it ends.
 */
export interface StoreTransaction extends StoreReader {
  /**
   * Adds the item: `exists` when its id is taken, decided by the store itself and not by a look
   * before.
   */
  insert(model: ModelDescription, item: StoredItem): Promise<WriteOutcome>
  /** Writes over the item with this id, which exists. */
  replace(model: ModelDescription, item: StoredItem): Promise<WriteOutcome>
  /**
   * Removes the item with this id, if it is there. Relations of other items to it are the caller's
   * to mend.
   */
  remove(model: ModelDescription, id: string): Promise<void>
}

/**
 * What operations need of a store: the store itself, or a transaction of it that is under way
 * (`within.ts`).
 */
export interface StoreAccess extends StoreReader {
  readonly rawJson?: RawJsonReader | undefined
  /**
   * The hash of the one item that satisfies the condition, which contains its id: for stores that
   * read it faster than the whole item.
   */
  readonly findVersion?:
    | ((model: ModelDescription, condition: Condition) => Promise<string | undefined>)
    | undefined
  /**
   * Runs the work in a transaction that is kept when the work returns and undone when it throws.
   * The promise settles only once the writes are durable. Works may share one commit, each is all
   * or nothing by itself, and each sees what those before it did. The work must wait for nothing
   * but this store. One that has not begun when its caller leaves is not run.
   */
  write<T>(work: (transaction: StoreTransaction) => Promise<T>, caller?: Caller): Promise<T>
}

/**
 * Keeps the items of all models. An implementation passes the suite of `test/contract/store.ts`.
 *
 * @throws StoreUnavailable from any method while the store cannot be reached; the next call tries
 * again.
 */
export interface Store extends StoreAccess {
  /**
   * Makes room for these models (tables, columns, indexes). Called before the first read, and again
   * when models are added; drops nothing. Where it keeps items for longer than the process lives,
   * it brings those that an older form of a model wrote into the present one (`renewedItem`).
   */
  open(models: readonly ModelDescription[]): Promise<void>
  /** Finishes what is under way and lets go of files and connections. */
  close(): Promise<void>
}

/** The store cannot be reached for the moment: answered as 503 with `Retry-After`. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable'
  readonly retryAfterSeconds: number

  constructor(
    message: string,
    options: { readonly retryAfterSeconds?: number; readonly cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.retryAfterSeconds = options.retryAfterSeconds ?? 1
  }
}

/** More waits for the store than it takes on: answered as 503 with `Retry-After`. */
export class StoreOverloaded extends Error {
  override readonly name = 'StoreOverloaded'
  readonly retryAfterSeconds = 1
}

/**
 * A statement took longer than the store allows: answered as 503, without `Retry-After`, for it
 * would take as long again.
 */
export class StoreTimeout extends Error {
  override readonly name = 'StoreTimeout'

  constructor(timeoutMs: number) {
    super(`A statement took longer than ${timeoutMs} ms, and was broken off.`)
  }
}
