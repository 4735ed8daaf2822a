import type { InputOf, OutputOf, Schema } from '../../schema/standard-schema.ts'
import type { HashDefinition, ValueDefinition } from './field.ts'
import type { RelationKind } from './fields-of.ts'
import type { Flatten } from './flatten.ts'
import type { Fields, FieldValue, OptionalKeys, RelationIds, StoredKeys } from './item.ts'
import type { ValueFromRequest } from './request-context.ts'
import type { ResourceDefinition } from './resource.ts'

/** The values of a stored item: without the hash, and with relations as ids. */
export type StoredFieldValues<F extends Fields> = Flatten<
  { readonly id: string } & {
    readonly [K in Exclude<UnhashedKeys<F>, OptionalKeys<F>>]: StoredFieldValue<F[K]>
  } & {
    readonly [K in OptionalKeys<F>]?: StoredFieldValue<F[K]>
  }
>

/** The values of an item to load: what schemas accept, and relations as ids. */
export type LoadedFieldValues<F extends Fields> = Flatten<
  { readonly id?: string } & {
    readonly [K in Exclude<UnhashedKeys<F>, OmittableKeys<F>>]: LoadedFieldValue<F[K]>
  } & {
    readonly [K in OmittableKeys<F>]?: LoadedFieldValue<F[K]>
  }
>

/** The fields of an item without the hash, which the service computes. */
export type UnhashedKeys<F extends Fields> = {
  [K in StoredKeys<F>]: F[K] extends HashDefinition ? never : K
}[StoredKeys<F>]

/** The fields that an item to load may lack. */
export type OmittableKeys<F extends Fields> = {
  [K in UnhashedKeys<F>]: undefined extends LoadedFieldValue<F[K]> ? K : never
}[UnhashedKeys<F>]

/** The value of a field in a stored item. Relations are ids. */
export type StoredFieldValue<D> = D extends RelationKind ? RelationIds<D> : FieldValue<D>

/** Undefined for a field that the service can fill in, or computes; never for others. */
export type ValueIfFromRequest<D> = D extends
  | { readonly options: { readonly from: ValueFromRequest } }
  | { readonly computed: { readonly kind: string } }
  ? undefined
  : never

/** The value of a field in an item to load; undefined if it may be missing. */
export type LoadedFieldValue<D> = D extends RelationKind
  ? D extends { readonly kind: 'toOne'; readonly options: { readonly optional?: false } }
    ? string | ValueIfFromRequest<D>
    : StoredFieldValue<D> | undefined
  : D extends ResourceDefinition
    ? null | undefined
    : D extends ValueDefinition<infer S>
      ? LoadedValue<InputOf<S>, OutputOf<S>> | ValueIfFromRequest<D>
      : D extends Schema
        ? LoadedValue<InputOf<D>, OutputOf<D>>
        : never

/** What a schema accepts, and what code sees of a codec. */
export type LoadedValue<Input, Output> = [Output] extends [Input] ? Input : Input | Output
