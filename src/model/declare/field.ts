import type { Schema } from '../../schema/standard-schema.ts'
import { checkOptions, type OptionChecks } from '../check-options.ts'
import type { ResourceDefinition } from './resource.ts'

/** What may be said about a value field beside its schema. */
export interface FieldOptions {
  /** The name that clients see; the member's own name unless given. */
  readonly wire?: string
  readonly description?: string
  readonly example?: unknown
  /**
   * Stored, seen by the model's code, and to a client exactly as if it did not exist. Give it a
   * default or make it optional: else no client can create an item.
   */
  readonly hidden?: boolean
  /**
   * Set by the service; ignored when a client sends it. Give it a default or make it optional: else
   * no client can create an item.
   */
  readonly readOnly?: boolean
  /** Accepted from clients, never sent to them. */
  readonly writeOnly?: boolean
  /** No two items hold the same value; null does not count. Implies an index. */
  readonly unique?: boolean
  /** Keeps an index, so that filters and sorts by this field stay fast on large collections. */
  readonly index?: boolean
  /** May clients filter by it? True unless given. */
  readonly filter?: boolean
  /** May clients sort by it? True unless given. */
  readonly sort?: boolean
}

/** What happens to an item when the one it refers to is deleted. */
export type OnDelete = 'restrict' | 'cascade' | 'set-null'

/** What the model's code sees of a related item whose type is not given. */
export interface RelatedItem {
  readonly id: string
  readonly [member: string]: unknown
}

export interface ValueDefinition<S extends Schema = Schema, O extends FieldOptions = FieldOptions> {
  readonly kind: 'value'
  readonly schema: S
  readonly options: O
}

export interface RelationOptions {
  readonly wire?: string
  readonly description?: string
}

export interface ToOneOptions extends RelationOptions {
  /**
   * The id that examples in the document relate to; the `exampleId` of the other model unless
   * given.
   */
  readonly example?: string
  /** May the item refer to nothing? False unless given. */
  readonly optional?: boolean
  /** `restrict` unless given, or `set-null` where the relation is optional. */
  readonly onDelete?: OnDelete
}

export interface ToOneDefinition<Related = RelatedItem, O extends ToOneOptions = ToOneOptions> {
  readonly kind: 'toOne'
  readonly relatedModelName: string
  readonly options: O
  /** Carries the type of the related item only. */
  readonly relatedItem?: Related
}

export interface ToManyOptions extends RelationOptions {
  /**
   * The ids that examples in the document relate to; the `exampleId` of the other model unless
   * given.
   */
  readonly example?: readonly string[]
  /**
   * The relation of the target model that leads back: this side is then derived from it and holds
   * nothing of its own.
   */
  readonly inverse?: string
  /**
   * May clients replace all that it holds at once? True unless given. Where not, they add to it and
   * take from it (under JSON:API), and an update that would change it is refused as a whole with
   * 403: nobody loses what came in between (JSON:API 1.1, updating to-many relationships).
   */
  readonly replace?: boolean
}

export interface ToManyDefinition<Related = RelatedItem, O extends ToManyOptions = ToManyOptions> {
  readonly kind: 'toMany'
  readonly relatedModelName: string
  readonly options: O
  readonly relatedItem?: Related
}

export interface HashDefinition {
  readonly kind: 'hash'
}

/** A field as it is declared: a bare schema stands for a value field without options. */
export type FieldDefinition =
  | Schema
  | ValueDefinition
  | ToOneDefinition<unknown>
  | ToManyDefinition<unknown>
  | ResourceDefinition
  | HashDefinition

/**
 * A value field with options.
 *
 * ```ts
 * const pageCount = field(z.int().positive().optional(), { wire: 'pages', index: true })
 * ```
 */
export function field<S extends Schema, const O extends FieldOptions>(
  schema: S,
  options: O,
): ValueDefinition<S, O> {
  checkOptions('field()', options, fieldOptions)
  return Object.freeze({ kind: 'value', schema, options: Object.freeze({ ...options }) })
}

/**
 * A relation to one item of another model or to none, named by that model's name. The model's code
 * sees the related item as an object, of the type that is given, or null.
 *
 * ```ts
 * const editor = toOne<ItemOf<typeof Author>>('author', { optional: true })
 * ```
 */
export function toOne<Related = RelatedItem>(
  target: string,
  options: ToOneOptions & { readonly optional: true },
): ToOneDefinition<NoInfer<Related>, ToOneOptions & { readonly optional: true }>
/**
 * A relation to one item of another model, named by that model's name. Required unless `optional`
 * is true. The model's code sees the related item as an object, of the type that is given.
 *
 * ```ts
 * const author = toOne('author', { onDelete: 'restrict' })
 * ```
 */
export function toOne<Related = RelatedItem>(
  target: string,
  options?: ToOneOptions & { readonly optional?: false },
): ToOneDefinition<NoInfer<Related>, ToOneOptions & { readonly optional?: false }>
/** The same, with options that are made elsewhere. */
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
 * The other side of a relation of another model: the items whose relation `inverse` leads to this
 * one. The model's code does not see them, for they are no part of the item.
 *
 * ```ts
 * const books = toMany('book', { inverse: 'author' })
 * ```
 */
export function toMany<Related = RelatedItem>(
  target: string,
  options: ToManyOptions & { readonly inverse: string },
): ToManyDefinition<NoInfer<Related>, ToManyOptions & { readonly inverse: string }>
/**
 * A relation to many items of another model, which the item holds itself; the model's code sees
 * them as objects, of the type that is given. With `inverse` it is the other side of that model's
 * relation.
 *
 * ```ts
 * const genres = toMany('genre')
 * ```
 */
export function toMany<Related = RelatedItem>(
  target: string,
  options?: ToManyOptions & { readonly inverse?: never },
): ToManyDefinition<NoInfer<Related>, ToManyOptions & { readonly inverse?: never }>
/** The same, with options that are made elsewhere. */
export function toMany<Related = RelatedItem, const O extends ToManyOptions = ToManyOptions>(
  target: string,
  options?: O,
): ToManyDefinition<NoInfer<Related>, O>
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

/**
 * The item's version, kept by the service: SHA-256 over what is stored. It makes the item's ETag a
 * strong one.
 */
export function hash(): HashDefinition {
  return Object.freeze({ kind: 'hash' })
}

const fieldOptions: OptionChecks<FieldOptions> = {
  wire: true,
  description: true,
  example: true,
  hidden: 'boolean',
  readOnly: 'boolean',
  writeOnly: 'boolean',
  unique: 'boolean',
  index: 'boolean',
  filter: 'boolean',
  sort: 'boolean',
}
const toOneOptions: OptionChecks<ToOneOptions> = {
  wire: true,
  description: true,
  example: true,
  optional: 'boolean',
  onDelete: true,
}
const toManyOptions: OptionChecks<ToManyOptions> = {
  wire: true,
  description: true,
  example: true,
  inverse: true,
  replace: 'boolean',
}
