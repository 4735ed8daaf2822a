import type { MembersOf, QueryTypesOf, ToManyMember, ToOneMember } from './query-types.ts'

/**
 * The paths that `where` takes: fields, members of structs (`dimensions.width`), and fields behind
 * to-one relations (`author.name`). Any string for a model that is not known.
 *
 * The first three names are checked, which bounds the work of the compiler. Any string may follow
 * them, as behind a relation that names no type.
 */
export type QueryPath<Model> = PathsTo<'one' | 'many', Model>

/** The paths that `sort` takes: those that lead to one value. */
export type SortPath<Model> = PathsTo<'one', Model>

/** What a path leads to: one value, or many in an array or a to-many relation. */
export interface PathEnd<Quantity extends 'one' | 'many', Value> {
  readonly quantity: Quantity
  readonly value: Value
}

/** What the path leads to; `any` if that is not known. */
export type PathEndOf<Model, Path> =
  IsUnknown<Model> extends true
    ? // biome-ignore lint/suspicious/noExplicitAny: nothing is known of it, so everything is allowed
      any
    : MembersOf<Model> extends infer Members
      ? Path extends keyof Members
        ? PathStep<Members[Path]>
        : Path extends `${infer Name extends keyof Members & string}.${infer Rest}`
          ? PathStep<Members[Name]> extends { readonly behind: infer Behind }
            ? PathEndOf<Behind, Rest>
            : never
          : // biome-ignore lint/suspicious/noExplicitAny: the path is not known
            any
      : never

/** The paths to one value, to many, or both, of so many names. */
export type PathsTo<Quantity, Model, Depth extends 0 | 1 | 2 | 3 = 3> = Depth extends 0
  ? string
  : IsUnknown<Model> extends true
    ? string
    : MembersOf<Model> extends infer Members
      ? {
          [Name in keyof Members & string]: PathStep<Members[Name]> extends infer Step
            ?
                | (Step extends { readonly quantity: Quantity } ? Name : never)
                | (Step extends { readonly behind: infer Behind }
                    ? `${Name}.${PathsTo<Quantity, Behind, [0, 0, 1, 2][Depth]>}`
                    : never)
            : never
        }[keyof Members & string]
      : never

/** Are its members not known: is it `any`, `unknown`, `object`, or a type with any member? */
export type IsUnknown<Model> = [keyof Model] extends [never]
  ? true
  : string extends keyof Model
    ? true
    : false

/**
 * What a path finds at a member: an end, something to pass through (`behind`), both, or neither; at
 * a to-many relation also the model of its items (`each`), for `some`. A union of several types can
 * be neither compared nor passed through, hence the brackets.
 */
export type PathStep<Member> = 0 extends 1 & Member
  ? never
  : NonNullable<Member> extends infer Value
    ? [Value] extends [never]
      ? never
      : [Value] extends [string]
        ? PathEnd<'one', Value>
        : [Value] extends [number]
          ? PathEnd<'one', Value>
          : [Value] extends [boolean]
            ? PathEnd<'one', Value>
            : [Value] extends [ToOneMember<infer Related>]
              ? RelatedItemEnd<Related>
              : [Value] extends [ToManyMember<infer Related>]
                ? RelatedItemsEnd<Related>
                : [Value] extends [readonly (infer Element)[]]
                  ? PathStep<Element> extends PathEnd<'one', infer Each>
                    ? PathEnd<'many', Each> & EachItem<PathStep<Element>>
                    : never
                  : [Value] extends [Date | bigint]
                    ? PathEnd<'one', Value | string>
                    : [Value] extends [object]
                      ? ObjectStep<Value>
                      : never
    : never

/** The end at a to-one relation: its id, or what is behind it. */
export interface RelatedItemEnd<Related> extends PathEnd<'one', string> {
  readonly behind: Related
}

/** The end at a to-many relation: its ids, or each of its items. */
export interface RelatedItemsEnd<Related> extends PathEnd<'many', string> {
  readonly each: Related
}

/** The items of a list, where the model is known by the type of its items alone. */
export type EachItem<Step> = Step extends { readonly behind: infer Item }
  ? { readonly each: Item }
  : unknown

/** A struct, or a related item where the model is known by the type of its items alone. */
export type ObjectStep<Value> =
  IsUnknown<Value> extends true
    ? never
    : QueryTypesOf<Value> extends { readonly members: null }
      ? never
      : Value extends (...values: never) => unknown
        ? never
        : (Value extends { readonly id: string } ? PathEnd<'one', string> : unknown) & {
            readonly behind: Value
          }
