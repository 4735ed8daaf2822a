import type { OutputOf, Schema } from '../../schema/standard-schema.ts'
import type { BinaryResource } from '../stored-resource.ts'
import type { FieldDefinition, HashDefinition, ValueDefinition } from './field.ts'
import type { FieldsOf, InverseKind, RelationKind } from './fields-of.ts'
import type { Flatten } from './flatten.ts'
import type { ToManyDefinition, ToOneDefinition } from './relation.ts'
import type { ResourceDefinition } from './resource.ts'

/** The fields of a model, by name. */
export type Fields = Readonly<Record<string, FieldDefinition>>

/** The value of a field in the code of the model. Relations are objects. */
export type FieldValue<F> =
  F extends ToOneDefinition<infer Related, infer O>
    ? O extends { readonly optional?: false }
      ? O extends MissingAllowed
        ? RelatedItemOf<Related> | null
        : RelatedItemOf<Related>
      : RelatedItemOf<Related> | null
    : F extends ToManyDefinition<infer Related>
      ? RelatedItemOf<Related>[]
      : F extends ValueDefinition<infer S, infer O>
        ? OutputOf<S> | (O extends MissingAllowed ? undefined : never)
        : F extends HashDefinition
          ? string
          : F extends ResourceDefinition
            ? BinaryResource | null
            : F extends Schema
              ? OutputOf<F>
              : never

/** Options of members that stored items may lack. */
export interface MissingAllowed {
  readonly missing: 'allow'
}

/**
 * A related item: an instance of the class that the relation names, with its own relations as ids.
 */
export type RelatedItemOf<Related> = [FieldsOf<Related>] extends [never]
  ? Related
  : FieldsOf<Related> extends infer F extends Fields
    ? Omit<Related, keyof StoredRelations<F>> & StoredRelations<F>
    : never

/** What an item stores of a relation: the id, or the ids. */
export type RelationIds<D> = D extends { readonly kind: 'toMany' }
  ? readonly string[]
  : D extends { readonly options: { readonly optional?: false } }
    ? D extends { readonly options: MissingAllowed }
      ? string | null
      : string
    : string | null

/** The relations that an item stores, as ids. */
export type StoredRelations<F extends Fields> = {
  readonly [K in StoredKeys<F> as F[K] extends RelationKind ? K : never]: RelationIds<F[K]>
}

/** Without inverse relations: they can be huge, and change without a change of the item. */
export type StoredKeys<F extends Fields> = {
  [K in keyof F]: F[K] extends InverseKind ? never : K
}[keyof F]

/** Does not look into relations, because the related models may still be in declaration. */
export type OptionalKeys<F extends Fields> = {
  [K in StoredKeys<F>]: F[K] extends RelationKind
    ? never
    : undefined extends FieldValue<F[K]>
      ? K
      : never
}[StoredKeys<F>]

/** An item with these fields. */
export type ItemFromFields<F extends Fields> = Flatten<
  { readonly id: string } & {
    -readonly [K in Exclude<StoredKeys<F>, OptionalKeys<F>>]: FieldValue<F[K]>
  } & {
    -readonly [K in OptionalKeys<F>]?: Exclude<FieldValue<F[K]>, undefined> | undefined
  }
>
