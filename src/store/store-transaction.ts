import type { ModelDescription } from '../model/model-description.ts'
import type { Condition } from '../query/query-plan.ts'
import type { StoredItem } from '../stored-item/stored-item.ts'
import type { ChangeLogWriter, LoggedChange } from './change-log.ts'
import type { RequestRecordWriter } from './request-records.ts'
import type { StoreReader } from './store-reader.ts'

/**
 * The outcome of a write; fields are given by the model's own names.
 *
 * - `written`: with the stored item. Its version and values may differ from those of the item that
 *   was given, because a store can make versions, and a database can change values.
 * - `exists`: the id is taken.
 * - `taken`: another item has the same value in the unique field, or the same values in the fields
 *   of a unique set.
 * - `missing`: the relation leads to an item that does not exist.
 * - `unmet`: a count that the write expects is lower. Every other outcome says that none is.
 * - `refused`: the store cannot hold the value of the field, or a rule of the database forbids it.
 *   A rule may be about several fields, and about `id`; none if the store does not know them.
 */
export type WriteOutcome =
  | { readonly kind: 'written'; readonly item: StoredItem }
  | { readonly kind: 'exists' }
  | { readonly kind: 'taken'; readonly fields: readonly string[] }
  | { readonly kind: 'missing'; readonly field: string }
  | { readonly kind: 'unmet' }
  | { readonly kind: 'refused'; readonly fields: readonly string[] }

/** Which items to count. */
export interface ItemCount {
  readonly model: ModelDescription
  readonly condition: Condition
}

/** A count that a write relies on. */
export interface ExpectedCount extends ItemCount {
  /** The least number. */
  readonly atLeast: number
}

/** What a write relies on, and what follows it. */
export interface WriteOptions {
  /**
   * Counted before anything is written. If one of them is lower, nothing is written, and the
   * outcome is `unmet`. Only stores with `fastPaths.checksWrites` get any. Default: none.
   */
  readonly expects?: readonly ExpectedCount[] | undefined
  /**
   * What follows in the transaction. With `nothing`, a store to which each call is a round trip
   * commits with the write; with a `LogOnly`, it may add the change to the log before. Default:
   * `more`.
   */
  readonly rest?: 'nothing' | 'more' | LogOnly | undefined
}

/**
 * After the write, only the log of changes gets what this returns of the item as it is stored. A
 * store that calls it writes both and commits, or fails; else the caller adds it.
 */
export interface LogOnly {
  changeOf(written: StoredItem): LoggedChange
}

export interface InsertOptions extends WriteOptions {
  /**
   * Where the id comes from: `proposed` by the service, so that a database which makes ids may give
   * the item another, or `given` by a client. Default: `given`.
   */
  readonly id?: 'given' | 'proposed' | undefined
}

/** Items of one model. */
export interface ItemIds {
  readonly model: ModelDescription
  readonly ids: readonly string[]
  /** Only the items that satisfy it. Default: all. */
  readonly condition?: Condition
}

/** What a transaction can do faster than with the methods that every one has. */
export interface TransactionFastPaths {
  /**
   * How many items each of the counts finds, in their order. For stores that can read all of them
   * at once; the result is that of `count` for each.
   */
  countEach?(counts: readonly ItemCount[]): Promise<readonly number[]>
  /**
   * Do `insert` and `replace` count what a write `expects`? For stores to which each call is a
   * round trip. Default: false, and the caller has counted.
   */
  readonly checksWrites?: boolean | undefined
}

/** Locks of a store with several writers at a time. */
export interface TransactionLocks {
  /**
   * Waits for other transactions that called it and write items that may satisfy the condition. So
   * what code counts or lists, to decide about a write, is still so when it is committed. For
   * stores with several writers at a time. A store may wait for more: transactions of all items
   * that have one value in common, or of all items of the model.
   */
  lockItems(model: ModelDescription, condition: Condition): Promise<void>
  /**
   * Locks those of the items that exist until the end of the transaction, in an order that
   * depends on the items only. Transactions that lock all that they will read and write do not
   * deadlock, in whatever order they do it. Nobody waits for an item that does not satisfy the
   * condition beside its id: its caller may not see it. For stores with several writers at a time;
   * others do not ask which items they are.
   *
   * Models that keep rollups of others come after these, and ids are in the order of code points.
   * If `itemsOf` returns a promise, what it finds may change until the items are locked. It may be
   * called again under the locks, which are given back if it finds further items.
   * Unless the transaction is under way, a store may run it again from its beginning, so that it
   * waits without a connection.
   */
  lockForWrite(
    itemsOf: () => readonly ItemIds[] | Promise<readonly ItemIds[]>,
    isUnderWay?: boolean,
  ): Promise<void>
}

/**
 * Reads and writes within one transaction. Reads see the writes of the transaction; nothing is
 * visible outside before it is committed.
 */
export interface StoreTransaction extends StoreReader {
  /** Default: none. */
  readonly fastPaths?: TransactionFastPaths | undefined
  /** Default: none, for a store that runs one transaction at a time. */
  readonly locks?: TransactionLocks | undefined
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
  /** For stores whose `changes` are kept (`areKept`). */
  readonly changes?: ChangeLogWriter | undefined
}
