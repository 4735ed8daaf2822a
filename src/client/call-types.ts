import type { ApiTypes } from './api-types.ts'
import type { OutdatedItemError } from './client-error.ts'
import type { FollowedList, GroupQuery, Groups, List, ListQuery } from './list-types.ts'
import type {
  CallOptions,
  DownloadOptions,
  ItemQuery,
  Selection,
  Target,
  UploadQuery,
} from './query-types.ts'
import type { ActionCall, RelationCalls } from './relation-types.ts'
import type { AllFields, FieldsOf, ResultItem } from './result-types.ts'

/** All calls about one model. */
export interface ModelCalls<Api extends ApiTypes, Plural extends keyof Api> {
  /**
   * Reads a list.
   *
   * ```ts
   * const { items, nextPage } = await api.books.list({
   *   filter: { price: { lt: 9 } },
   *   include: ['author'],
   *   page: { size: 20 },
   * })
   * ```
   */
  list<
    const Include extends Api[Plural]['include'] = never,
    const Fields extends FieldsOf<Api> = AllFields,
    const Aggregate extends keyof Api[Plural]['aggregates'] = never,
    const Facet extends keyof Api[Plural]['facets'] = never,
  >(
    query?: ListQuery<Api[Plural], Include, Fields, Aggregate, Facet>,
  ): Promise<
    List<
      ResultItem<Api, Plural, Include, Fields>,
      Required<Pick<Api[Plural]['aggregates'], Aggregate>>,
      Required<Pick<Api[Plural]['facets'], Facet>>
    >
  >

  /**
   * All items of a list, however long: it has one page in memory at a time, of `page.size` items
   * (100).
   *
   * ```ts
   * for await (const book of api.books.stream({ sort: 'title' })) console.log(book.title)
   * ```
   */
  stream<
    const Include extends Api[Plural]['include'] = never,
    const Fields extends FieldsOf<Api> = AllFields,
  >(
    query?: Omit<
      ListQuery<Api[Plural], Include, Fields, never, never>,
      'count' | 'aggregates' | 'facets' | 'highlights'
    >,
  ): AsyncGenerator<ResultItem<Api, Plural, Include, Fields>, void, undefined>

  /** Adds up the items of each group. */
  groups<
    const By extends keyof Api[Plural]['groups'],
    const Aggregate extends keyof Api[Plural]['aggregates'] = never,
  >(
    query: GroupQuery<Api[Plural], By, Aggregate>,
  ): Promise<
    Groups<
      Required<Pick<Api[Plural]['groups'], By>>,
      Required<Pick<Api[Plural]['aggregates'], Aggregate>>
    >
  >

  /**
   * Reads a list, and yields it again after each transaction that changes it, until the loop ends
   * or the signal is aborted. It connects again by itself, and misses nothing.
   *
   * ```ts
   * for await (const { items } of api.books.follow({ filter: { inStock: true } }))
   *   console.log(items)
   * ```
   */
  follow<const Fields extends FieldsOf<Api> = AllFields>(
    query?: Selection<Api[Plural]> & Omit<ItemQuery<never, Fields>, 'include'>,
  ): AsyncGenerator<FollowedList<ResultItem<Api, Plural, never, Fields>>, void, undefined>

  /** Reads an item. */
  get<
    const Include extends Api[Plural]['include'] = never,
    const Fields extends FieldsOf<Api> = AllFields,
  >(
    id: string,
    query?: ItemQuery<Include, Fields>,
  ): Promise<ResultItem<Api, Plural, Include, Fields>>

  create<
    const Include extends Api[Plural]['include'] = never,
    const Fields extends FieldsOf<Api> = AllFields,
  >(
    values: Api[Plural]['create'],
    query?: ItemQuery<Include, Fields>,
  ): Promise<ResultItem<Api, Plural, Include, Fields>>

  /**
   * Changes some members. An item, or a copy of it, is only written if nobody has changed it since
   * it was read; an id is written in any case.
   * @throws OutdatedItemError where it was changed
   *
   * ```ts
   * const book = await api.books.get('dracula')
   * await api.books.update(book, { price: 9 })
   * ```
   */
  update<
    const Include extends Api[Plural]['include'] = never,
    const Fields extends FieldsOf<Api> = AllFields,
  >(
    target: Target,
    changes: Api[Plural]['update'],
    query?: ItemQuery<Include, Fields>,
  ): Promise<ResultItem<Api, Plural, Include, Fields>>

  /**
   * Writes all members; those that are absent get their defaults. Versions count as in `update`.
   */
  replace<
    const Include extends Api[Plural]['include'] = never,
    const Fields extends FieldsOf<Api> = AllFields,
  >(
    target: Target,
    values: Api[Plural]['replace'],
    query?: ItemQuery<Include, Fields>,
  ): Promise<ResultItem<Api, Plural, Include, Fields>>

  /** Deletes an item. Versions count as in `update`. */
  delete(target: Target, options?: CallOptions): Promise<void>

  /** Was a write refused because the item of this model had been changed? */
  isOutdated(error: unknown): error is OutdatedItemError<Api[Plural]['item']>

  /** Stores a file in a file field, such as `cover`, and returns the item. */
  upload<
    const Include extends Api[Plural]['include'] = never,
    const Fields extends FieldsOf<Api> = AllFields,
  >(
    target: Target,
    path: Api[Plural]['files'],
    bytes: Blob,
    query?: UploadQuery<Include, Fields>,
  ): Promise<ResultItem<Api, Plural, Include, Fields>>

  /** Reads a file, or a variant of an image, such as `cover/webp/128`. */
  download(target: Target, path: Api[Plural]['downloads'], options?: DownloadOptions): Promise<Blob>

  /** Removes a file from a file field. */
  deleteFile(target: Target, path: Api[Plural]['files'], options?: CallOptions): Promise<void>

  /** Actions by their names. Versions count as in `update`. */
  readonly actions: {
    readonly [Name in keyof Api[Plural]['actions']]: ActionCall<
      Api,
      Plural,
      Api[Plural]['actions'][Name]
    >
  }

  /** Relations by their names. */
  readonly relations: {
    readonly [Name in keyof Api[Plural]['relations']]: RelationCalls<
      Api,
      Api[Plural]['relations'][Name]
    >
  }
}
