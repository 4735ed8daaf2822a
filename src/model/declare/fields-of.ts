import type { queryTypes } from '../../query/query-types.ts'

/** The fields of a model, from the type of its instances; never for any other type. */
export type FieldsOf<Instance> = 0 extends 1 & Instance
  ? never
  : typeof queryTypes extends keyof Instance
    ? NonNullable<Instance[typeof queryTypes]> extends { readonly fields: infer F }
      ? F
      : never
    : never

/** The names of the fields of a model; any name if the type is not that of its instances. */
export type FieldNameOf<Instance> = [FieldsOf<Instance>] extends [never]
  ? string
  : keyof FieldsOf<Instance> & string

/** The names of the relations that a model stores; any name as above. */
export type OwnedRelationOf<Instance> = [FieldsOf<Instance>] extends [never]
  ? string
  : OwnedRelationIn<FieldsOf<Instance>>

/** The names of the relations among these fields that a model stores. */
export type OwnedRelationIn<F> = {
  [K in keyof F & string]: F[K] extends RelationKind
    ? F[K] extends InverseKind
      ? never
      : K
    : never
}[keyof F & string]

/** What the definitions of relations have in common. */
export type RelationKind = { readonly kind: 'toOne' | 'toMany' }

/** What the definitions of inverse relations have in common. */
export type InverseKind = {
  readonly kind: 'toMany'
  readonly options: { readonly inverse: string }
}
