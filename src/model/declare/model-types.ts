import type { Queryable, QueryTypes, ToOneMember } from '../../query/query-types.ts'
import type { InputOf, OutputOf, Schema } from '../../schema/standard-schema.ts'
import type { HashDefinition, ValueDefinition } from './field.ts'
import type { Fields, ItemFromFields } from './item.ts'
import type { StoredFieldValues } from './item-values.ts'
import type { ToOneDefinition } from './relation.ts'
import type { ResourceDefinition } from './resource.ts'

/**
 * An instance of the class of a model. It carries the fields for the compiler, so that the class,
 * as a type, stands for the model: `IQuery<Book>`, `toOne<Author>('author')`.
 */
export type ModelInstance<F extends Fields> = ItemFromFields<F> & Queryable<ModelTypes<F>>

/** The types that depend on the fields of a model, each made where it is used. */
export interface ModelTypes<F extends Fields> extends QueryTypes {
  readonly fields: F
  readonly members: { [K in keyof F | 'id']: K extends keyof F ? QueryMember<F[K]> : string }
  readonly storedValues: StoredFieldValues<F>
}

/** A field, as paths of queries find it. Never for what cannot be compared. */
export type QueryMember<D> =
  D extends ToOneDefinition<infer Related>
    ? ToOneMember<Related>
    : D extends { readonly kind: 'toMany' }
      ? readonly string[]
      : D extends HashDefinition | ResourceDefinition
        ? never
        : D extends ValueDefinition<infer S>
          ? QueryValue<InputOf<S>, OutputOf<S>>
          : D extends Schema
            ? QueryValue<InputOf<D>, OutputOf<D>>
            : never

/** A value, or what is stored of a codec whose values cannot be compared. */
export type QueryValue<Input, Output> = [Output] extends [Input]
  ? Output | (Date extends Output ? string : never)
  : [NonNullable<Output>] extends [string | number | bigint | boolean | Date]
    ? Output | (Date extends Output ? string : never)
    : Exclude<Input, undefined>
