import { checkOptions, type OptionChecks } from '../check-options.ts'
import type { OwnedRelationOf } from './fields-of.ts'
import type { ValueFromRequest } from './request-context.ts'

/** What happens to an item when the item that it refers to is deleted. */
export type OnDelete = 'restrict' | 'cascade' | 'set-null'

/** A related item in the code of the model, if the relation names no type. */
export interface RelatedItem {
  readonly id: string
  readonly [member: string]: unknown
}

export interface RelationOptions {
  /** The wire name: the name that clients see. Default: the name of the relation. */
  readonly wire?: string
  /** What the relation is, for the OpenAPI document. Default: none. */
  readonly description?: string
}

export interface ToOneOptions extends RelationOptions {
  /** The id in examples of the document. Default: the `exampleId` of the related model. */
  readonly example?: string
  /**
   * Is the relation set once? Then nobody changes it, not even the service; null may still be
   * replaced. Default: false.
   */
  readonly immutable?: boolean
  /** Can the relation be null? Default: false. */
  readonly optional?: boolean
  /**
   * Only the service sets the relation, from either side. A client may send back the id that it
   * read; any other is 403. Make the relation optional or give it `from`, or no client can create
   * an item. Default: false.
   */
  readonly readOnly?: boolean
  /**
   * Makes the id of a new item from the request, so that the relation is read-only. Undefined or
   * null means that there is none, which is 403 if the relation is required. The related item must
   * exist, but need not be visible to the client.
   *
   * It runs when clients create an item, and when code does so in the name of a request. It is
   * synchronous: let a request hook find out what it needs, and leave it in the state. Default:
   * none.
   */
  readonly from?: ValueFromRequest<string | null>
  /**
   * What happens to the item when the related item is deleted. Default: `set-null` for an optional
   * relation, else `restrict`; nothing for one of a read-only model, unless the database refuses.
   */
  readonly onDelete?: OnDelete
  /**
   * The column with the id of the related item, in stores that keep items in ordinary tables.
   * Default: the wire name in snake_case, with `_id` at its end.
   */
  readonly column?: string
  /**
   * A former wire name of the relation, or several, so that a store finds its ids. Default: none.
   */
  readonly was?: string | readonly string[]
  /**
   * May stored items relate to no item although the relation is required? Without `allow`, a
   * service with such items does not start. With it, the relation may be null in responses, and
   * changes of these items need not set it; new items need it. Default: none.
   */
  readonly missing?: 'allow'
}

export interface ToOneDefinition<Related = RelatedItem, O extends ToOneOptions = ToOneOptions> {
  readonly kind: 'toOne'
  readonly relatedModelName: string
  readonly options: O
  /** For types only; never set. */
  readonly relatedItem?: Related
}

/** The table of a to-many relation: one row for each owner and target. */
export interface JoinTableOptions {
  /** The name of the table: `book_genre`, or with its schema `public.book_genre`. */
  readonly table: string
  /** The column with the id of the item that has the relation. */
  readonly owner: string
  /** The column with the id of the related item. */
  readonly target: string
}

export interface ToManyOptions extends RelationOptions {
  /** The ids in examples of the document. Default: the `exampleId` of the related model. */
  readonly example?: readonly string[]
  /**
   * The name of the relation in the related model that leads back here. This side is then derived
   * from it and stores nothing. Default: none, so that this side stores the ids.
   */
  readonly inverse?: string
  /**
   * Can clients replace the whole relation? Default: true. If false, JSON:API clients add and
   * remove single items, and an update that would change the relation is refused with 403. No
   * client can then undo a concurrent change (JSON:API 1.1, updating to-many relationships).
   */
  readonly replace?: boolean
  /**
   * The join table, in stores that keep items in ordinary tables. Default: the table of the model
   * and the wire name (`books_genres`), with the columns `book_id` and `genre_id`.
   */
  readonly through?: JoinTableOptions
}

export interface ToManyDefinition<
  Related = RelatedItem,
  O extends ToManyOptions = ToManyOptions,
  Name extends string = string,
> {
  readonly kind: 'toMany'
  readonly relatedModelName: Name
  readonly options: O
  readonly relatedItem?: Related
}

/**
 * Declares a relation to one item of another model, or to none. In the code of the model the
 * related item is an object or null.
 *
 * ```ts
 * const editor = toOne<Author>('author', { optional: true })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function toOne<Related = RelatedItem>(
  target: string,
  options: ToOneOptions & { readonly optional: true },
): ToOneDefinition<NoInfer<Related>, ToOneOptions & { readonly optional: true }>
/**
 * Declares a relation that new items need, and that stored items may lack.
 *
 * ```ts
 * const room = toOne('room', { missing: 'allow' })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function toOne<Related = RelatedItem>(
  target: string,
  options: ToOneOptions & { readonly optional?: false; readonly missing: 'allow' },
): ToOneDefinition<
  NoInfer<Related>,
  ToOneOptions & { readonly optional?: false; readonly missing: 'allow' }
>
/**
 * Declares a relation that the service sets from the request, such as the owner of a new item.
 *
 * ```ts
 * const caller = stateKey<{ id: string }>('caller')
 * const owner = toOne('user', { from: ({ state }) => state.get(caller)?.id })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function toOne<Related = RelatedItem>(
  target: string,
  options: ToOneOptions & {
    readonly optional?: false
    readonly from: ValueFromRequest<string | null>
  },
): ToOneDefinition<
  NoInfer<Related>,
  ToOneOptions & { readonly optional?: false; readonly from: ValueFromRequest<string | null> }
>
/**
 * Declares a relation to one item of another model. It is required unless `optional` is true. In
 * the code of the model the related item is an object. The class of the other model, if it has one,
 * makes its members known, to queries as well.
 *
 * ```ts
 * const author = toOne<Author>('author', { onDelete: 'restrict' })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function toOne<Related = RelatedItem>(
  target: string,
  options?: ToOneOptions & { readonly optional?: false },
): ToOneDefinition<NoInfer<Related>, ToOneOptions & { readonly optional?: false }>
/** The same, with options of a variable. */
export function toOne<Related = RelatedItem, const O extends ToOneOptions = ToOneOptions>(
  target: string,
  options?: O,
): ToOneDefinition<NoInfer<Related>, O>
export function toOne<Related = RelatedItem, const O extends ToOneOptions = ToOneOptions>(
  target: string,
  options?: O,
): ToOneDefinition<NoInfer<Related>, O> {
  if (options) checkOptions('toOne()', options, toOneOptions)
  return Object.freeze({
    kind: 'toOne',
    relatedModelName: target,
    options: Object.freeze({ ...options }) as O,
  })
}

/**
 * Declares the inverse of a relation of the model itself, or of one of two models that each have an
 * inverse of the other. TypeScript refuses to look for its name in a class that is not complete
 * (TS2506), so the name is the second type argument. The router checks it.
 *
 * ```ts
 * const children = toMany<Genre, 'parent'>('genre', { inverse: 'parent' })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function toMany<Related, Inverse extends string>(
  target: string,
  options: unknown extends Related ? never : ToManyOptions & { readonly inverse: Inverse },
): ToManyDefinition<NoInfer<Related>, ToManyOptions & { readonly inverse: Inverse }>
/**
 * Declares the inverse of a relation of another model: all items whose relation `inverse` leads to
 * this item. It is not part of the item, so the code of the model does not see it.
 *
 * The class of the other model makes its relations known. For a relation of the model itself, leave
 * it away.
 *
 * ```ts
 * const books = toMany<Book>('book', { inverse: 'author' })
 * const children = toMany('genre', { inverse: 'parent' })
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function toMany<
  Related = RelatedItem,
  const Name extends string = string,
  const Inverse extends OwnedRelationOf<Related> = OwnedRelationOf<Related>,
>(
  target: Name,
  options: ToManyOptions & { readonly inverse: Inverse },
): ToManyDefinition<NoInfer<Related>, ToManyOptions & { readonly inverse: Inverse }, Name>
/**
 * Declares a relation to many items of another model. The item stores their ids; in the code of the
 * model they are objects.
 *
 * ```ts
 * const genres = toMany<Genre>('genre')
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option
 */
export function toMany<Related = RelatedItem>(
  target: string,
  options?: ToManyOptions & { readonly inverse?: never },
): ToManyDefinition<NoInfer<Related>, ToManyOptions & { readonly inverse?: never }>
/** The same, with options of a variable. */
export function toMany<
  Related = RelatedItem,
  const O extends ToManyOptions = ToManyOptions & { readonly inverse?: OwnedRelationOf<Related> },
>(target: string, options?: O): ToManyDefinition<NoInfer<Related>, O>
export function toMany<Related = RelatedItem, const O extends ToManyOptions = ToManyOptions>(
  target: string,
  options?: O,
): ToManyDefinition<NoInfer<Related>, O> {
  if (options) checkOptions('toMany()', options, toManyOptions)
  return Object.freeze({
    kind: 'toMany',
    relatedModelName: target,
    options: Object.freeze({ ...options }) as O,
  })
}

const toOneOptions: OptionChecks<ToOneOptions> = {
  wire: true,
  description: true,
  example: true,
  immutable: 'boolean',
  optional: 'boolean',
  readOnly: 'boolean',
  from: true,
  onDelete: true,
  column: true,
  was: true,
  missing: ['allow'],
}
const toManyOptions: OptionChecks<ToManyOptions> = {
  wire: true,
  description: true,
  example: true,
  inverse: true,
  replace: 'boolean',
  through: true,
}
