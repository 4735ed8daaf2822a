import { checkOptions, type OptionChecks } from '../check-options.ts'
import type { Fields, ItemFromFields } from './item.ts'
import type { StoredFieldValues } from './item-values.ts'
import type { ModelInstance } from './model-types.ts'
import type { OwnInverses } from './own-inverses.ts'

/** Who creates the id of an item: the client or the server, the server, or the client. */
export type IdSource = 'either' | 'server' | 'client'

// biome-ignore lint/suspicious/noExplicitAny: the check of a model that is not known gets any item
export interface ModelOptions<Field extends string = string, Values = any> {
  /**
   * The path segment of the collection, the list key and the JSON:API type. Default: the plural of
   * the name.
   */
  readonly plural?: string
  /** What the items are, for the OpenAPI document. Default: none. */
  readonly description?: string
  /** Who creates ids. Default: `either`. */
  readonly ids?: IdSource
  /** Does PUT with an unknown id create the item? Default: false. */
  readonly upsert?: boolean
  /** Do writes to an existing item need `If-Match` (428)? Default: false. */
  readonly requireMatch?: boolean
  /** The id of an item that a new service has, for the examples in the document. Default: none. */
  readonly exampleId?: string
  /**
   * Indexes over several fields, for lists that filter by the first fields and sort by the others:
   * `[['inStock', '-price']]` serves `filter[inStock]=true&sort=-price`. A minus means descending.
   * For an index over one field, use the option `index` of the field. Default: none.
   */
  readonly indexes?: readonly (readonly (Field | `-${Field}`)[])[]
  /**
   * Sets of fields whose values are unique together: `[['talk', 'attendee']]` refuses a second item
   * with the same talk and the same attendee (409). Strings, numbers, booleans and to-one relations
   * can be part of a set; an item with null in one of them conflicts with no other. With `where`, a
   * set holds for the items with these values only. A relation alone can be a set, so that no two
   * items relate to the same one; for one value, use the option `unique` of the field. With
   * `range`, items with the same values must not overlap: `{ fields: ['unit'], range: ['from',
   * 'to'] }` refuses a second booking of a unit at the same time. Default: none.
   */
  readonly unique?: readonly UniqueOption<Field>[]
  /**
   * The table of the items, in stores that keep items in ordinary tables: `books`, or with its
   * schema `public.books`. Default: the plural in snake_case.
   */
  readonly table?: string
  /**
   * The column of the id in this table, or the columns whose values make the id, joined by `~`; `@`
   * in a value is written `@0`, and `~` is written `@1`. Default: `id`.
   */
  readonly key?: string | readonly string[]
  /**
   * How text sorts, and compares in ranges, in ordinary tables: by code point, so that all stores
   * respond alike, or as the collation of its column says, so that an index with this collation is
   * used. In PostgreSQL it is for ids and for `text` and `varchar` columns; fields in others, such
   * as `char(n)`, sort by code point. Default: `codePoint`.
   */
  readonly order?: 'codePoint' | 'database'
  /** A former name of the model, or several, so that a store finds its items. Default: none. */
  readonly was?: string | readonly string[]
  /**
   * Do clients only read the items, which code of the service writes? Then clients have no
   * operations that write them (405), and the OpenAPI document has none. A model over a view needs
   * it. Default: false.
   */
  readonly readOnly?: boolean
  /**
   * From when on nobody changes or deletes an item (409), not even the service: as soon as the
   * stored item has these values. `{ where: { status: 'issued' } }` makes issued invoices
   * immutable, and `{ where: {} }` all items. `except` names fields that may still change. Items
   * that relate to it are not concerned. Default: none.
   */
  readonly immutable?: ImmutableOption<Field>
  /**
   * Are changes of its items in the log of changes? With `keepDays`, for so many days; with
   * `capture: 'triggers'`, those of other programs too. Default: as the option `changes` of the
   * router says.
   */
  readonly changes?: boolean | ChangeKeeping
  /**
   * Checks the whole item at every write, once its members are valid. It calls `issue` with the
   * name of a member, or a path into it, and what is wrong: `'must be after start'`. The write is
   * then 422. With `description`, the OpenAPI document says it in words. Default: none.
   */
  readonly validate?: ItemCheck<Values> | DescribedCheck<Values>
  /**
   * Does the service keep the former versions of each item? Clients then read them at
   * `/books/dracula/versions`, and restore one with POST. With `keepDays` (1 to 36 500), a version
   * goes so many days after the next one has replaced it; with `true` it stays as long as the item.
   * Default: false.
   */
  readonly history?: boolean | KeepOptions
  /**
   * Do deleted items go to the trash? For clients they are gone; who may delete them sees them at
   * `/books/trash`, and restores one, or deletes it for good. With `keepDays` (1 to 36 500) they
   * stay for so many days, with `true` for 30. Default: false.
   */
  readonly trash?: boolean | KeepOptions
  /**
   * The members that clients may add up, and group items by: `['price', 'author', 'publishedAt']`.
   * A relation is also declared for the fields of its items (`author.country`), and a struct for
   * its members. Lists then have the parameters `withAggregates` and `withFacets`. Default: none,
   * and lists have neither.
   */
  readonly aggregate?: readonly (Field | `${Field}.${string}`)[]
  /**
   * The texts that clients search for words, with `search=…`: `['title', 'author.name']`, or an
   * object with the weight of each, from 1 to 100, by which `sort=-relevance` sorts:
   * `{ title: 3, 'author.name': 1 }`. A field that only some of its readers may read cannot be
   * searched. Default: none, and lists have no such parameter.
   */
  readonly search?:
    | readonly (Field | `${Field}.${string}`)[]
    | { readonly [Name in Field | `${Field}.${string}`]?: number }
}

/** How long something is kept. */
export interface KeepOptions {
  /** Days of 24 hours: an integer from 1 to 36 500. Default: that of the option. */
  readonly keepDays?: number
}

/** Checks an item, with its relations as ids. It must be synchronous. */
// biome-ignore lint/suspicious/noExplicitAny: as above
export type ItemCheck<Values = any> = (
  item: Values,
  issue: (path: PathIn<Values>, message: string) => void,
) => void

/** The name of a member, or a path into its value: `end`, `editions.0.year`. */
export type PathIn<Values> = 0 extends 1 & Values
  ? string
  : (keyof Values & string) | `${keyof Values & string}.${string}`

// biome-ignore lint/suspicious/noExplicitAny: as above
export interface DescribedCheck<Values = any> {
  readonly check: ItemCheck<Values>
  /** What it requires, as a sentence: `The end is after the start.` */
  readonly description: string
}

/** What the log of changes has of the items of a model, and for how long. */
export interface ChangeKeeping {
  /** From 1 to 36 500 days. Default: as for the router. */
  readonly keepDays?: number
  /**
   * With `triggers`, triggers of PostgreSQL log what other programs write to the tables of the
   * model. Default: only what the service writes is logged.
   */
  readonly capture?: 'triggers'
}

/** Names of fields, or names with a condition or a range. */
export type UniqueOption<Field extends string = string> =
  | readonly Field[]
  | {
      readonly fields: readonly Field[]
      /**
       * The values that an item of the set has, by the names of fields: `{ isOpen: true }`. Null
       * stands for no value.
       */
      readonly where: { readonly [name in Field]?: string | number | boolean | null }
    }
  | {
      /** The fields that items have in common whose ranges must not overlap. */
      readonly fields: readonly Field[]
      /**
       * The fields with the beginning and the end, which is not part of the range:
       * `['from', 'to']`. Both are numbers, dates or date-times. Null stands for no bound.
       */
      readonly range: readonly [from: Field, to: Field]
      /** As above. Default: all items. */
      readonly where?: { readonly [name in Field]?: string | number | boolean | null }
    }

/** From when on an item is immutable. */
export interface ImmutableOption<Field extends string = string> {
  /**
   * The values that such an item has, by the names of fields: one value, an array of which it is
   * one, or `{ not: null }` for any. Null stands for no value.
   */
  readonly where: { readonly [name in Field]?: FinalValue }
  /** The fields that may change nevertheless: `['paidAt']`. Default: none. */
  readonly except?: readonly Field[]
}

/** A value with which an item is immutable, or several. */
export type FinalValue =
  | string
  | number
  | boolean
  | null
  | readonly (string | number | boolean | null)[]
  | { readonly not: null }

/** A model before it is registered: a class with the declaration in its static members. */
export interface ModelClass<Name extends string = string, F extends Fields = Fields> {
  new (values: ItemFromFields<F>): ModelInstance<F>
  readonly modelName: Name
  readonly fields: F
  readonly options: ModelOptions
}

/** The items of a model: `ItemOf<typeof Book>`. */
export type ItemOf<M> = M extends ModelClass<string, infer F> ? ItemFromFields<F> : never

export interface AnyModel {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor's parameters are contravariant, so only `any` admits every model
  new (values: any): object
  readonly prototype: object
  readonly modelName: string
  readonly fields: Fields
  readonly options: ModelOptions
}

/**
 * Declares a model. Extend the returned class to add methods, or use it directly. Every model has
 * an `id`, a string.
 *
 * ```ts
 * class Author extends model('author', {
 *   name: z.string().min(1).meta({ description: 'Full name as printed' }),
 *   books: toMany('book', { inverse: 'author' }),
 * }) {}
 * ```
 *
 * @throws RegistrationError for an unknown or invalid option; fields are checked when the model is
 * registered
 */
export function model<const Name extends string, F extends Fields>(
  name: Name,
  fields: F & OwnInverses<Name, F>,
  options: ModelOptions<keyof F & string, StoredFieldValues<F>> = {},
): ModelClass<Name, F> {
  checkOptions('model()', options, modelOptions)
  class Model {
    static readonly modelName = name
    static readonly fields = Object.freeze({ ...fields })
    static readonly options = Object.freeze({ ...options })

    constructor(values: Record<string, unknown>) {
      for (const key of Object.keys(values)) {
        Object.defineProperty(this, key, {
          value: values[key],
          // Only the service sets them.
          writable: key !== 'id' && key !== 'hash',
          enumerable: true,
          configurable: true,
        })
      }
    }
  }
  return Model as unknown as ModelClass<Name, F>
}

const modelOptions: OptionChecks<ModelOptions> = {
  plural: true,
  description: true,
  ids: ['either', 'server', 'client'],
  upsert: 'boolean',
  requireMatch: 'boolean',
  exampleId: true,
  indexes: true,
  unique: true,
  table: true,
  key: true,
  order: ['codePoint', 'database'],
  was: true,
  readOnly: 'boolean',
  immutable: true,
  changes: true,
  validate: true,
  history: true,
  trash: true,
  aggregate: true,
  search: true,
}
