import type { Queryable, QueryTypes, ToManyMember, ToOneMember } from '../../query/query-types.ts'
import type { HashDefinition } from './field.ts'
import type { Fields, FieldValue, ItemFromFields } from './item.ts'
import type { StoredFieldValues } from './item-values.ts'
import type { ToManyDefinition, ToOneDefinition } from './relation.ts'
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
      ? D extends ToManyDefinition<infer Related>
        ? ToManyMember<Related>
        : never
      : D extends HashDefinition | ResourceDefinition
        ? never
        : FieldValue<D>
