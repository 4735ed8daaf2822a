import type { FailedItem } from '../../error/api-error.ts'
import type { IQuery } from '../../query/iquery.ts'
import type { AnyModel } from '../declare/model.ts'
import type { BinaryResource } from '../stored-resource.ts'
import type { AggregateOf, CodeGroup, GroupKeyOf } from './group-types.ts'
import type {
  ActionInputOf,
  ActionNameOf,
  ActionResultOf,
  CodeItem,
  IncludableOf,
  ItemChanges,
  NewItem,
  ResourcePathOf,
} from './item-types.ts'

/** Narrows, sorts or limits the items of a model. */
export type ItemQuery<M extends AnyModel> = (query: IQuery<InstanceType<M>>) => IQuery

export interface ReadItemOptions<Included extends string = never> {
  /** The relations whose items are read too. Default: none, so that relations are ids. */
  readonly include?: readonly Included[]
}

export interface GroupOptions<M extends AnyModel, Key extends string, Aggregate extends string> {
  /** Members by their names in the model, at most one of them a list. */
  readonly by: readonly (Key & GroupKeyOf<M>)[]
  /** Default: none. */
  readonly aggregates?: readonly (Aggregate & AggregateOf<M>)[]
  /** Which items are grouped. Its sort and its limit do not count. Default: all. */
  readonly where?: ItemQuery<M>
  /** Of the parts of date-times, by its IANA name: `Europe/Berlin`. Default: UTC. */
  readonly timeZone?: string
}

export interface WriteItemOptions {
  /**
   * The version that the item must have, as its `hash` says; otherwise the write is refused with
   * `precondition-failed`. Default: any.
   */
  readonly if?: string
}

/** The bytes of a binary resource, and what is known of them. */
export interface ReadResource extends BinaryResource {
  /** The bytes, read once. */
  readonly bytes: AsyncIterable<Uint8Array>
}

export interface ResourceBytes {
  readonly bytes: Uint8Array | AsyncIterable<Uint8Array>
  readonly contentType: string
  readonly fileName?: string
}

/**
 * The items of one model, for code of the service. Members have their names in the model; hidden
 * and read-only ones can be read and written.
 *
 * Writes are checked as those of clients: by the schemas, for missing related items, unique values,
 * deletions that are restricted, and by the hooks around writes. They throw an ApiError, which says
 * what a client would be told.
 *
 * ```ts
 * const books = router.items(Book)
 * await books.update('emma', { price: 6 })
 * const cheap = await books.all((query) => query.where('price').lessThan(10).sort('price'))
 * ```
 */
export interface Items<M extends AnyModel> {
  /** The item with this id; undefined if there is none. */
  get<Included extends IncludableOf<M> = never>(
    id: string,
    options?: ReadItemOptions<Included>,
  ): Promise<CodeItem<M, Included> | undefined>
  /** The first item of the query; undefined if there is none. */
  first<Included extends IncludableOf<M> = never>(
    query?: ItemQuery<M>,
    options?: ReadItemOptions<Included>,
  ): Promise<CodeItem<M, Included> | undefined>
  /** All items of the query, in an array. */
  all<Included extends IncludableOf<M> = never>(
    query?: ItemQuery<M>,
    options?: ReadItemOptions<Included>,
  ): Promise<CodeItem<M, Included>[]>
  /** The items of the query, one by one, read from the store as they are consumed. */
  find<Included extends IncludableOf<M> = never>(
    query?: ItemQuery<M>,
    options?: ReadItemOptions<Included>,
  ): AsyncIterable<CodeItem<M, Included>>
  /** How many items satisfy the query, regardless of its limit. */
  count(query?: ItemQuery<M>): Promise<number>
  /**
   * What the items add up to, by the values of some members, in the order of these. Members need
   * not be declared (`aggregate`), and there may be any number of groups.
   *
   * ```ts
   * const groups = await router.items(Book).groups({
   *   by: ['author.name'],
   *   aggregates: ['count', 'sum(price)'],
   *   where: (query) => query.where('price').greaterThan(5),
   * })
   * for (const { by, aggregates } of groups) console.log(by['author.name'], aggregates.count)
   * ```
   *
   * @throws TypeError for a member that the model does not have, or that a function does not take
   */
  groups<const Key extends GroupKeyOf<M>, const Aggregate extends AggregateOf<M> = never>(
    options: GroupOptions<M, Key, Aggregate>,
  ): Promise<readonly CodeGroup<M, Key, Aggregate>[]>
  /** @throws ApiError if the item is invalid, or its id or a unique value is taken */
  create(values: NewItem<M>): Promise<CodeItem<M>>
  /**
   * Creates all of the items, or none.
   * @throws ApiError whose `failedItems` are all that are invalid, with their indexes
   */
  createMany(values: readonly NewItem<M>[]): Promise<CodeItem<M>[]>
  /** The same for any iterable. It is read to its end before the first item is created. */
  createMany(values: Iterable<NewItem<M>>): Promise<CodeItem<M>[]>
  /**
   * Finds out which of the items `createMany` would refuse, and stores none: it creates them in a
   * transaction that is undone. Hooks around writes run, except `afterCommit`. An item with the id
   * or a unique value of an earlier one fails.
   *
   * ```ts
   * const failed = await router.items(Genre).validate([
   *   { id: 'crime', name: 'Crime' },
   *   { id: 'crime', name: 'Thrillers' },
   * ])
   * for (const { index, problems } of failed) console.log(index, problems[0]?.code) // 1 'conflict'
   * ```
   *
   * @returns those that are invalid, with their indexes and problems: an empty array if all are
   * valid
   * @throws TypeError in a transaction or an action
   */
  validate(values: readonly NewItem<M>[]): Promise<readonly FailedItem[]>
  /**
   * The same for rows that nobody has checked yet, such as those of a file: they may have any type,
   * and one that is no object fails. The iterable is read to its end first.
   *
   * ```ts
   * const rows: unknown[] = JSON.parse('[{ "name": "Crime" }, "Thrillers", null]')
   * const failed = await router.items(Genre).validate(rows)
   * console.log(failed.map(({ index }) => index)) // [1, 2]
   * ```
   *
   * @throws TypeError in a transaction or an action
   */
  validate(values: Iterable<unknown>): Promise<readonly FailedItem[]>
  /** Merges the changes into the item. @throws ApiError `not-found` if there is none */
  update(id: string, changes: ItemChanges<M>, options?: WriteItemOptions): Promise<CodeItem<M>>
  /** Replaces the whole item. @throws ApiError `not-found` if there is none */
  replace(id: string, values: NewItem<M>, options?: WriteItemOptions): Promise<CodeItem<M>>
  /** Creates the item, or replaces the one with this id. */
  upsert(values: NewItem<M> & { readonly id: string }): Promise<CodeItem<M>>
  /** @throws ApiError `not-found` if there is none, or `still-referenced` */
  delete(id: string, options?: WriteItemOptions): Promise<void>
  /**
   * Changes all items of the query, or none. Returns how many there are.
   * @throws ApiError whose `failedItems` are all that cannot be changed, with their ids
   */
  updateWhere(query: ItemQuery<M>, changes: ItemChanges<M>): Promise<number>
  /**
   * Deletes all items of the query, or none. Returns how many there were.
   * @throws ApiError whose `failedItems` are all that cannot be deleted, with their ids
   */
  deleteWhere(query: ItemQuery<M>): Promise<number>
  /**
   * Calls an action of the class. Returns its output, or the changed item if it has none.
   * @throws ApiError `not-found` if there is no such item, or what the action refuses with
   */
  call<const Name extends ActionNameOf<M>>(
    id: string,
    action: Name,
    input?: ActionInputOf<M, Name>,
    options?: WriteItemOptions,
  ): Promise<ActionResultOf<M, Name>>
  /** Calls an action of `itemOperation`, whose types the model does not have. */
  callOperation(
    id: string,
    action: string,
    input?: unknown,
    options?: WriteItemOptions,
  ): Promise<unknown>
  /**
   * Sets a binary resource.
   * @param path the name of the field, or a path into its value: `cover`, or `editions/0/scan`
   */
  setResource(id: string, path: ResourcePathOf<M>, content: ResourceBytes): Promise<BinaryResource>
  /** A binary resource; undefined if there is none. */
  readResource(id: string, path: ResourcePathOf<M>): Promise<ReadResource | undefined>
  /** Clears a binary resource. */
  deleteResource(id: string, path: ResourcePathOf<M>): Promise<void>
}

/** The items of a model, in one transaction. */
export type ItemsOf = <M extends AnyModel>(model: M) => Items<M>

/** What a method that is an action gets after its input. */
export interface ActionDetails {
  /**
   * Reads and writes items of any model, in the transaction in which the changed item is stored.
   */
  readonly items: ItemsOf
}
