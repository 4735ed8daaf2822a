import type { MaybePromise } from '../concurrency/maybe-promise.ts'
import type { ModelDescription } from '../model/model-description.ts'
import type { Condition, SortKey } from '../query/query-plan.ts'
import type { StoredItem, StoredValues } from '../stored-item/stored-item.ts'
import type { LogOnly, StoreTransaction, WriteOutcome } from './store-transaction.ts'

/** A change of one item, before it is written or after it. */
export type ItemChange =
  | {
      readonly kind: 'create'
      readonly model: ModelDescription
      readonly id: string
      readonly before: undefined
      readonly after: StoredItem
    }
  | {
      readonly kind: 'update'
      readonly model: ModelDescription
      readonly id: string
      /** As it was stored; undefined where no observer watches the model. */
      readonly before: StoredItem | undefined
      readonly after: StoredItem
    }
  | {
      readonly kind: 'delete'
      readonly model: ModelDescription
      readonly id: string
      /** As for an update. */
      readonly before: StoredItem | undefined
      readonly after: undefined
    }

/** A change that is not complete yet: code of the service may set values. */
export type ItemDraft =
  | {
      readonly kind: 'create'
      readonly model: ModelDescription
      readonly values: StoredValues
      readonly before: undefined
    }
  | {
      readonly kind: 'update'
      readonly model: ModelDescription
      readonly values: StoredValues
      readonly before: StoredItem
    }
  | {
      readonly kind: 'delete'
      readonly model: ModelDescription
      readonly values: undefined
      readonly before: StoredItem
    }

/** Why an observer does not let an item be written. */
export type RefusedWrite = Exclude<WriteOutcome, { kind: 'written' | 'unmet' }>

/**
 * Takes part in one transaction. It sees every change of an item, whatever causes it: a request, an
 * inverse relation, `onDelete`, an upload, an action, or code. Errors that it throws undo the
 * transaction.
 *
 * It may read and write with the transaction of the store; nobody observes what it writes so, and
 * no limit counts it. Code of the service gets the unit, whose writes are observed.
 */
export interface WriteObserver<Unit = unknown> {
  /** Before the work of the transaction. */
  begin?(transaction: StoreTransaction): Promise<void>
  /** The models of which it needs each item before a change. It is read then. Default: none. */
  readonly watched?: { has(model: ModelDescription): boolean } | undefined
  /**
   * Runs code of the service before a change of a model that it watches.
   * @returns the values to write instead; undefined if they stay
   */
  prepare?(unit: Unit, draft: ItemDraft): MaybePromise<StoredValues | undefined>
  /** Checks a change as it will be written. @returns why it cannot be written */
  beforeWrite?(
    transaction: StoreTransaction,
    change: ItemChange,
  ): MaybePromise<RefusedWrite | undefined>
  /** The change is written; `after` is the item as it is stored. */
  written?(transaction: StoreTransaction, change: ItemChange, unit: Unit): MaybePromise<void>
  /** Nothing refers to the blobs with these keys any more: versions and deleted items are gone. */
  discarded?(keys: readonly string[]): void
  /** Runs code of the service after a change, once every observer has seen it. */
  afterWrite?(unit: Unit, change: ItemChange): MaybePromise<void>
  /**
   * Does it have to settle before items that satisfy the condition are read, or their number?
   * @param sort what they are sorted by, grouped by and added up
   */
  isUnsettledFor?(
    model: ModelDescription,
    condition: Condition,
    reads: 'items' | 'number',
    sort: readonly SortKey[],
  ): boolean
  /** Has it put something off? */
  isUnsettled?(): boolean
  /** Writes what it has put off until now. */
  settle?(unit: Unit): Promise<void>
  /** The service has computed values of an item again, without a write of the item itself. */
  computed?(transaction: StoreTransaction, change: ItemChange, unit: Unit): void
  /** Does it write in the transaction after this change? Then this is not its end. Default: no. */
  isFollowed?(change: ItemChange): boolean
  /**
   * Makes the entry, if to add one entry to the log is all that it does after this change. A store
   * that calls `changeOf` adds the entry; the observer must not add it again. Asked where
   * `isFollowed`. Default: it does something else.
   */
  logOnly?(change: ItemChange, unit: Unit): LogOnly | undefined
  /** After the work of the transaction, with its result. */
  beforeCommit?(transaction: StoreTransaction, result: unknown): Promise<void> | undefined
  /** The transaction is durable. The caller waits for it. */
  committed?(): Promise<void> | undefined
}

/**
 * An observer without a state of its own, or what makes one for each attempt: a store may run a
 * transaction again.
 */
export type BeginObserver<Unit = unknown> = WriteObserver<Unit> | (() => WriteObserver<Unit>)
