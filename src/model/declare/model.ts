import { checkOptions, type OptionChecks } from '../check-options.ts'
import type { Fields, ItemFromFields } from './item.ts'

/** Who gives an item its identifier: the client may, must not, or must. */
export type IdSource = 'either' | 'server' | 'client'

export interface ModelOptions<Field extends string = string> {
  /**
   * The collection's path segment, list key and JSON:API type; the plural of the name unless given.
   */
  readonly plural?: string
  readonly description?: string
  /** `either` unless given. */
  readonly ids?: IdSource
  /** PUT on an unknown id creates the item. False unless given. */
  readonly upsert?: boolean
  /** Writes to an existing item need `If-Match`, else 428. False unless given. */
  readonly requireMatch?: boolean
  /**
   * The id of an item that a fresh service has: examples in the document name it, in addresses and
   * wherever others relate to the model.
   */
  readonly exampleId?: string
  /**
   * Indexes over several fields, so that lists which compare the first ones and sort by the others
   * stay fast on large collections: `[['inStock', '-price']]` serves
   * `filter[inStock]=true&sort=-price`. A minus sorts downwards. One over a single field is said at
   * the field.
   */
  readonly indexes?: readonly (readonly (Field | `-${Field}`)[])[]
}

/** What a model is before it is registered: a class whose statics say what it holds. */
export interface ModelClass<Name extends string = string, F extends Fields = Fields> {
  new (values: ItemFromFields<F>): ItemFromFields<F>
  readonly modelName: Name
  readonly fields: F
  readonly options: ModelOptions
}

/** The item of a model: `ItemOf<typeof Book>`. */
export type ItemOf<M> = M extends ModelClass<string, infer F> ? ItemFromFields<F> : never

/** Any model, whatever its fields. */
export interface AnyModel {
  // biome-ignore lint/suspicious/noExplicitAny: a constructor's parameters are contravariant, so only `any` admits every model
  new (values: any): object
  readonly prototype: object
  readonly modelName: string
  readonly fields: Fields
  readonly options: ModelOptions
}

/**
 * Declares a model. Extend the class it returns to add methods, or use it as it is. `id` is
 * implicit: a string.
 *
 * ```ts
 * class Author extends model('author', {
 *   name: z.string().min(1).meta({ description: 'Full name as printed' }),
 *   books: toMany('book', { inverse: 'author' }),
 * }) {}
 * ```
 */
export function model<const Name extends string, F extends Fields>(
  name: Name,
  fields: F,
  options: ModelOptions<keyof F & string> = {},
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
          // Both are the service's.
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
}
