import type { HashDefinition } from '../declare/field.ts'
import type { OwnedRelationIn, RelationKind } from '../declare/fields-of.ts'
import type { Flatten } from '../declare/flatten.ts'
import type { Fields, FieldValue, OptionalKeys, StoredKeys } from '../declare/item.ts'
import type { LoadedFieldValues, StoredFieldValue } from '../declare/item-values.ts'
import type { AnyModel } from '../declare/model.ts'
import type { ResourceDefinition } from '../declare/resource.ts'
import type { BinaryResource } from '../stored-resource.ts'

/** An item in code: an instance of the class of its model, with relations as ids. */
export type CodeItem<
  M extends AnyModel,
  Included extends string = never,
> = string extends keyof M['fields']
  ? AnyItem
  : Omit<InstanceType<M>, keyof CodeValues<M['fields'], never>> & CodeValues<M['fields'], Included>

/** An item of a model that is not known. */
export interface AnyItem {
  readonly id: string
  // biome-ignore lint/suspicious/noExplicitAny: nothing is known of the members
  readonly [member: string]: any
}

/** The members of an item; relations are ids, or items where they are included. */
export type CodeValues<F extends Fields, Included extends string> = Flatten<
  { readonly id: string } & {
    readonly [K in Exclude<StoredKeys<F>, OptionalKeys<F>>]: CodeValue<F[K], K & string, Included>
  } & {
    readonly [K in OptionalKeys<F>]?: CodeValue<F[K], K & string, Included>
  }
>

/** The value of a member in code. */
export type CodeValue<D, Name extends string, Included extends string> = D extends HashDefinition
  ? string
  : Name extends Included
    ? FieldValue<D>
    : StoredFieldValue<D>

/** The values of a new item: what its schemas accept, and relations as ids. */
export type NewItem<M extends AnyModel> = string extends keyof M['fields']
  ? { readonly id?: string; readonly [member: string]: unknown }
  : LoadedFieldValues<M['fields']> & InverseIds<M['fields']>

/** The items that relate to an item, which are written on their side. */
export type InverseIds<F extends Fields> = {
  readonly [K in Exclude<keyof F, StoredKeys<F>>]?: readonly string[] | undefined
}

/** The members that change. null removes an optional member; objects are merged (RFC 7396). */
export type ItemChanges<M extends AnyModel> = string extends keyof M['fields']
  ? { readonly [member: string]: unknown }
  : {
      readonly [K in keyof Omit<LoadedFieldValues<M['fields']>, 'id'>]?:
        | LoadedFieldValues<M['fields']>[K]
        | null
        | undefined
    } & InverseIds<M['fields']>

/** The names of the relations that an item in code can have as items. */
export type IncludableOf<M extends AnyModel> = string extends keyof M['fields']
  ? string
  : OwnedRelationIn<M['fields']>

/** The names of the methods of a model: its actions are among them. */
export type ActionNameOf<M extends AnyModel> = string extends keyof M['fields']
  ? string
  : {
      [K in keyof InstanceType<M>]-?: InstanceType<M>[K] extends (...values: never) => unknown
        ? K & string
        : never
    }[keyof InstanceType<M>]

/** The input of an action: the parameter of its method. */
export type ActionInputOf<
  M extends AnyModel,
  Name extends string,
> = Name extends keyof InstanceType<M>
  ? InstanceType<M>[Name] extends (...values: infer Values) => unknown
    ? Values extends readonly [infer Input, ...unknown[]]
      ? Input
      : undefined
    : never
  : unknown

/** What an action returns: the result of its method, or the changed item if that has none. */
export type ActionResultOf<
  M extends AnyModel,
  Name extends string,
> = Name extends keyof InstanceType<M>
  ? InstanceType<M>[Name] extends (...values: never) => infer Result
    ? // biome-ignore lint/suspicious/noConfusingVoidType: the result of a method without one
      [Awaited<Result>] extends [void]
      ? CodeItem<M>
      : Awaited<Result>
    : never
  : unknown

/** The path of a binary resource: the name of a field, or a path into a value with several. */
export type ResourcePathOf<M extends AnyModel> = string extends keyof M['fields']
  ? string
  : {
      [K in keyof M['fields'] & string]: M['fields'][K] extends ResourceDefinition
        ? K
        : M['fields'][K] extends RelationKind
          ? never
          : true extends HoldsResource<FieldValue<M['fields'][K]>>
            ? `${K}/${string}`
            : never
    }[keyof M['fields'] & string]

/** Is there a binary resource in the value? */
export type HoldsResource<Value> = Value extends BinaryResource
  ? true
  : Value extends readonly (infer Entry)[]
    ? HoldsResource<Entry>
    : Value extends object
      ? { [K in keyof Value]-?: HoldsResource<Value[K]> }[keyof Value]
      : false
