import type { ManyRelation, ModelDescription, OwnedRelation } from '../model/model-description.ts'
import type { Condition, OffsetPlan, Position, QueryPlan } from '../query/query-plan.ts'
import type { RawLineFormat } from '../stored-item/raw-lines.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { RequestRecords, RequestRecordWriter } from './request-records.ts'
import type { StoreNotes } from './store-notes.ts'
import type { PlanStep } from './store-plan.ts'
import type { PruneOptions, UndeclaredData } from './undeclared-data.ts'

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

/** Who waits for a store, such as the context of a request. */
export interface Caller {
  /**
   * Aborted when the caller leaves. The store then drops queued calls, stops running ones within a
   * second, and rejects with the signal's reason. Read it only where work may take long, because
   * the first read may create it.
   */
  readonly signal: AbortSignal
  /** False while the signal is not aborted, and need not be created to see that. */
  readonly isAborted?: boolean | undefined
  /** Who sent the request, for what rules of access keep from some callers. */
  readonly caller?: unknown
  /**
   * May the transaction change more than a few items? The store then has to be able to undo it
   * quickly, however many items it changes.
   */
  readonly mayChangeMany?: boolean
  /** What request hooks left, such as the user, by the keys that `stateKey` made. */
  readonly state?: CallerState | undefined
  /** What the client has written, if the store has write positions. */
  readonly writes?: CallerWrites | undefined
}

/** The state of a request, for stores that read it. */
export interface CallerState {
  get<Value>(key: { readonly name: string; readonly value?: Value }): Value | undefined
}

/**
 * What one client has written, for stores that read from replicas. All calls for one request have
 * the same object.
 */
export interface CallerWrites {
  /** The write position that the client sent. Reads have to see what was written before it. */
  readonly knownPosition: string | undefined
  /** Called after each commit, with its write position if that could be read. */
  committed(position: string | undefined): void
  /** Has this request committed anything? Its reads have to see that. */
  readonly hasCommitted: boolean
}

/** A store that says how far it has been written, so that clients read their own writes. */
export interface WritePositions {
  /** May a client have got this text from the store? */
  isValid(text: string): boolean
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
    caller?: Caller,
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
    caller?: Caller,
  ): AsyncIterable<readonly StoredItem[]>
  /** One page of at most `limit` items. The limit of the plan is finite. */
  page(model: ModelDescription, plan: QueryPlan, caller?: Caller): Promise<StoredPage>
  /** How many items satisfy the condition. */
  count(model: ModelDescription, condition: Condition, caller?: Caller): Promise<number>
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
    caller?: Caller,
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
    caller?: Caller,
  ): Promise<RawJsonPage | undefined>
  /**
   * The items, separated by commas, under the same terms as {@link StoreReader.list}. The reader of
   * a batch owns it and may free its memory.
   */
  list(
    model: ModelDescription,
    plan: QueryPlan,
    caller?: Caller,
  ): AsyncIterable<Uint8Array> | undefined
}

/**
 * The outcome of a write; fields are given by the model's own names.
 *
 * - `written`: with the item as it is stored. A store may make its version, and a database may
 *   change its values.
 * - `exists`: the id is taken.
 * - `taken`: another item has the same value in the unique field, or the same values in the fields
 *   of a unique set.
 * - `missing`: the relation leads to an item that does not exist.
 * - `refused`: the store cannot hold the value of the field, or a rule of the database forbids it.
 *   A rule may be about several fields, and about `id`; none if the store does not know them.
 */
export type WriteOutcome =
  | { readonly kind: 'written'; readonly item: StoredItem }
  | { readonly kind: 'exists' }
  | { readonly kind: 'taken'; readonly fields: readonly string[] }
  | { readonly kind: 'missing'; readonly field: string }
  | { readonly kind: 'refused'; readonly fields: readonly string[] }

/** Which items to count. */
export interface ItemCount {
  readonly model: ModelDescription
  readonly condition: Condition
}

export interface WriteOptions {
  /**
   * Does nothing follow in the transaction? A store to which each call is a round trip commits with
   * the write then. Default: false.
   */
  readonly isLast?: boolean
}

export interface InsertOptions extends WriteOptions {
  /**
   * Did the service choose the id, so that a database which makes ids may give the item another?
   * Default: false.
   */
  readonly isIdReplaceable?: boolean
}

/** A count that a transaction relies on. */
export interface ExpectedCount extends ItemCount {
  readonly expected: number
}

/**
 * Reads and writes within one transaction. Reads see the writes of the transaction; nothing is
 * visible outside before it is committed.
 */
export interface StoreTransaction extends StoreReader {
  /**
   * How many items each of the counts finds, in their order. For stores that can read all of them
   * at once; the result is that of `count` for each.
   */
  countEach?(counts: readonly ItemCount[]): Promise<readonly number[]>
  /**
   * Goes on as if the counts were as expected, and reads them together with a later write. If one
   * of them differs, the store runs the whole work again, and this method returns false then: the
   * caller has to count. For stores to which each call is a round trip.
   */
  expectCounts?(counts: readonly ExpectedCount[]): boolean
  /**
   * Waits until no other transaction that called it for the model is under way. So what code counts
   * or lists, to decide about a write, is still so when it is committed. For stores with several
   * writers at a time.
   */
  lockModel?(model: ModelDescription): Promise<void>
  /** Adds an item. The write itself decides whether the id is taken, not a read before it. */
  insert(model: ModelDescription, item: StoredItem, options?: InsertOptions): Promise<WriteOutcome>
  /** Replaces the item with this id. Throws if there is none. */
  replace(model: ModelDescription, item: StoredItem, options?: WriteOptions): Promise<WriteOutcome>
  /**
   * Removes the item with this id, if there is one. The caller updates relations of other items to
   * it.
   */
  remove(model: ModelDescription, id: string): Promise<void>
  /** Set where `Store.requestRecords` is, once the store was opened with `keepsRequests`. */
  readonly requestRecords?: RequestRecordWriter | undefined
}

/** What operations need: a store, or a transaction under way (`transactionAccess`). */
export interface StoreAccess extends StoreReader {
  readonly rawJson?: RawJsonReader | undefined
  /**
   * The hash of the one item that satisfies the condition, which contains its id. For stores that
   * read a hash faster than a whole item.
   */
  readonly findVersion?:
    | ((
        model: ModelDescription,
        condition: Condition,
        caller?: Caller,
      ) => Promise<string | undefined>)
    | undefined
  /**
   * Runs the function in a transaction, which is committed when the function returns and rolled
   * back when it throws. The promise settles once the writes are durable. Several transactions may
   * share one commit; each is atomic, and sees the writes of those before it. The function must not
   * wait for anything but this store, and may be called again, when another transaction got in its
   * way. It is not called if its caller leaves before it begins.
   */
  write<T>(work: (transaction: StoreTransaction) => Promise<T>, caller?: Caller): Promise<T>
}

/** How far a step of a start is that may take long. */
export interface StartProgress {
  /** What is done, such as `Filling in 'slug' of 'talks'`. */
  readonly step: string
  /** The number of items that are done, and of all. */
  readonly done: number
  readonly total: number
}

export interface StoreOpenOptions {
  /** Called after each batch of items. Default: none. */
  readonly onProgress?: ((progress: StartProgress) => void) | undefined
  /** Makes a place for `Store.requestRecords`. Default: false. */
  readonly keepsRequests?: boolean | undefined
}

/** As for `open`. */
export type PlanOptions = Pick<StoreOpenOptions, 'keepsRequests'>

/**
 * Keeps the items of all models. An implementation passes the suite `storeContract` of
 * `resourcery/contracts`.
 *
 * @throws StoreUnavailable from any method while the store cannot be used; the next call tries
 * again.
 */
export interface Store extends StoreAccess {
  /**
   * Set if reads may come from replicas, which get writes later. The router then tells clients the
   * positions of their writes, and the store those that clients send back (`Caller.writes`).
   */
  readonly writePositions?: WritePositions | undefined
  /**
   * May the store refuse to remove an item for a reason that no model knows, such as a foreign key
   * of another table? The document then says that any deletion may be 409.
   */
  readonly canRefuseRemovals?: boolean | undefined
  /**
   * Do its tables have rules that the models do not say, because another program made them? Then a
   * valid item may be refused. Default: false.
   */
  readonly hasUnknownRules?: boolean | undefined
  /**
   * Creates what the models need (tables, columns, indexes), and drops nothing. Called before the
   * first read, and again when models are added. It migrates items that an older version of a model
   * wrote (`migrateItem`).
   */
  open(models: readonly ModelDescription[], options?: StoreOpenOptions): Promise<void>
  /**
   * What `open` would do with these models, or why it would refuse, without doing it. For stores
   * that have tables; `resourcery plan` prints it.
   */
  plan?(models: readonly ModelDescription[], options?: PlanOptions): Promise<readonly PlanStep[]>
  /** Texts that the store keeps with its data; undefined if it has no place for them. */
  readonly notes?: StoreNotes | undefined
  /**
   * Keeps results of requests for `Idempotency-Key`, in the transactions of their writes. For
   * stores that keep data of their own; without it a router refuses the option `idempotency`.
   */
  readonly requestRecords?: RequestRecords | undefined
  /**
   * What the store keeps although none of these models declares it; drops it on demand. For stores
   * that keep data; `resourcery prune` calls it.
   *
   * @throws RegistrationError if the store may not drop it
   */
  prune?(
    models: readonly ModelDescription[],
    options: PruneOptions,
  ): Promise<readonly UndeclaredData[]>
  /**
   * The keys of all blobs that items of the model refer to, in batches. For stores that read them
   * faster than whole items, and for those whose items have no hidden text where their model has no
   * hidden fields. Unreferenced blobs are deleted when a router opens.
   */
  blobKeys?(model: ModelDescription): AsyncIterable<readonly string[]>
  /**
   * The keys of further blobs that the store refers to, in batches: those of models and members
   * that none of these models declares any more. For stores that keep such data; without it, a
   * router deletes its blobs when it opens.
   */
  undeclaredBlobKeys?(models: readonly ModelDescription[]): AsyncIterable<readonly string[]>
  /** Finishes calls that are under way, then closes files and connections. */
  close(): Promise<void>
}

/**
 * The store cannot be used at the moment: sent as 503 with `Retry-After`. Default of
 * `retryAfterSeconds`: 1.
 *
 * ```ts
 * const cause = new Error('connect ECONNREFUSED')
 * throw new StoreUnavailable('The database cannot be reached.', { retryAfterSeconds: 5, cause })
 * ```
 */
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

/**
 * Too many calls are queued: sent as 503 with `Retry-After`.
 *
 * ```ts
 * const waiting: (() => void)[] = []
 * if (waiting.length > 1_000) throw new StoreOverloaded()
 * ```
 */
export class StoreOverloaded extends Error {
  override readonly name = 'StoreOverloaded'
  readonly retryAfterSeconds = 1
}

/**
 * A plan begins or ends at a position with values that the columns of its sort cannot hold, because
 * a client sent a cursor of another list: sent as 400 `invalid-cursor`.
 *
 * ```ts
 * const checkPrice = (price: Scalar) => {
 *   if (typeof price !== 'number') throw new InvalidPosition(`'${price}' is not a price.`)
 * }
 * ```
 */
export class InvalidPosition extends Error {
  override readonly name = 'InvalidPosition'
}

/**
 * A statement took longer than the store allows: sent as 503, without `Retry-After`, because it
 * would take as long again.
 *
 * ```ts
 * const timeoutMs = 5_000
 * const statement = new AbortController()
 * setTimeout(() => statement.abort(new StoreTimeout(timeoutMs)), timeoutMs)
 * ```
 */
export class StoreTimeout extends Error {
  override readonly name = 'StoreTimeout'

  constructor(timeoutMs: number) {
    super(`A statement took longer than ${timeoutMs} ms and was aborted.`)
  }
}
