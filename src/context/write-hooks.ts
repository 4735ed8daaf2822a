import type { FieldsOf } from '../model/declare/fields-of.ts'
import type { PathIn } from '../model/declare/model.ts'
import type { AnyItem } from '../model/items/item-types.ts'
import type { ItemsOf } from '../model/items/items.ts'
import type { queryTypes, StoredValuesOf } from '../query/query-types.ts'
import type { ModelOperation } from '../rule/operations.ts'
import type { Context } from './context.ts'

/** What changes items: a request, or code of the service without one. */
export type WriteCause<Caller = unknown> =
  | {
      readonly kind: 'request'
      readonly operation: ModelOperation
      readonly context: Context<Caller>
    }
  | { readonly kind: 'code'; readonly context: Context<Caller> | undefined }

/** The getters, setters and methods of the class of a model. */
export type ClassMembersOf<Model> = Omit<Model, keyof FieldsOf<Model> | 'id' | typeof queryTypes>

/** An item with relations as ids: its values, and the getters and methods of its class. */
export type ValuesOf<Model> = 0 extends 1 & Model
  ? AnyItem
  : StoredValuesOf<Model> & ClassMembersOf<Model>

/**
 * Values that a hook may set, and the getters, setters and methods of the class. The id stays.
 */
export type DraftOf<Model> = 0 extends 1 & Model
  ? // biome-ignore lint/suspicious/noExplicitAny: hooks without a class fit every model
    { readonly id: string; [member: string]: any }
  : { readonly id: string } & {
      -readonly [K in keyof Omit<StoredValuesOf<Model>, 'id'>]: StoredValuesOf<Model>[K]
    } & ClassMembersOf<Model>

/** An item before it is written: `next` is what will be stored, `previous` what is stored. */
export type PlannedWrite<Model> =
  | { readonly kind: 'create'; readonly next: DraftOf<Model>; readonly previous: undefined }
  | { readonly kind: 'update'; readonly next: DraftOf<Model>; readonly previous: ValuesOf<Model> }
  | { readonly kind: 'delete'; readonly next: undefined; readonly previous: ValuesOf<Model> }

/** An item after it was written, as it is stored. */
export type DoneWrite<Model> =
  | { readonly kind: 'create'; readonly item: ValuesOf<Model>; readonly previous: undefined }
  | { readonly kind: 'update'; readonly item: ValuesOf<Model>; readonly previous: ValuesOf<Model> }
  | { readonly kind: 'delete'; readonly item: undefined; readonly previous: ValuesOf<Model> }

/** What a hook gets besides the item. */
export interface WriteDetails<Caller = unknown> {
  readonly cause: WriteCause<Caller>
}

/** What a hook in the transaction gets besides the item. */
export interface TransactionDetails<Caller = unknown> extends WriteDetails<Caller> {
  /** Items of any model, in the same transaction. */
  readonly items: ItemsOf
}

export type BeforeWrite<Model, Caller = unknown> = PlannedWrite<Model> &
  TransactionDetails<Caller> & {
    /**
     * Refuses the write with 422 and a pointer to the member: `refuse('end', 'must be after
     * start')`. To refuse with another error, call `refuse` of the package.
     */
    readonly refuse: (
      path: PathIn<0 extends 1 & Model ? AnyItem : StoredValuesOf<Model>>,
      message: string,
    ) => never
  }

export type AfterWrite<Model, Caller = unknown> = DoneWrite<Model> & TransactionDetails<Caller>

export type CommittedWrite<Model, Caller = unknown> = DoneWrite<Model> & WriteDetails<Caller>

/**
 * Hooks around every change of an item, whatever causes it: requests of any kind, relationships
 * from both sides, cascades, batches, actions, uploads and code of the service. A write that
 * changes nothing runs none.
 *
 * `before` and `after` run in the transaction, which runs again when it conflicts with another
 * one: they must not do what cannot be undone. An error of theirs undoes the whole transaction.
 */
// biome-ignore lint/suspicious/noExplicitAny: hooks without a class fit every model
export interface WriteHooks<Model = any, Caller = unknown> {
  /** May change `next`, also members that clients cannot set. What it leaves is validated. */
  readonly before?: (write: BeforeWrite<Model, Caller>) => void | Promise<void>
  readonly after?: (write: AfterWrite<Model, Caller>) => void | Promise<void>
  /**
   * Runs once, when the change is durable. An error is reported and changes nothing. The response
   * waits for all such hooks of a request, but not longer than `timeouts.hookMs`; a hook that takes
   * longer is reported.
   */
  readonly afterCommit?: (write: CommittedWrite<Model, Caller>) => void | Promise<void>
}
