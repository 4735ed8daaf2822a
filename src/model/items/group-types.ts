import type { DatePart } from '../../query/group-plan.ts'
import type { PathEnd, PathEndOf, PathsTo } from '../../query/query-path.ts'
import type { Scalar } from '../../query/query-plan.ts'
import type { AnyModel } from '../declare/model.ts'

/** A member to group by, `author.country`, or a part of a date, `year(publishedAt)`. */
export type GroupKeyOf<M extends AnyModel> = string extends keyof M['fields']
  ? string
  :
      | PathsTo<'one' | 'many', InstanceType<M>, 2>
      | `${DatePart}(${PathsTo<'one', InstanceType<M>, 2>})`

/** What the items of a group add up to: their number (`count`), or a function of a member. */
export type AggregateOf<M extends AnyModel> = string extends keyof M['fields']
  ? string
  :
      | 'count'
      | `${'sum' | 'avg' | 'min' | 'max' | 'countDistinct'}(${PathsTo<'one', InstanceType<M>, 2>})`

/** A group of items. Values are as JSON has them: dates and decimal numbers are texts. */
export interface CodeGroup<M extends AnyModel, Key extends string, Aggregate extends string> {
  readonly by: { readonly [Name in Key]: GroupKeyValue<M, Name> }
  readonly aggregates: { readonly [Name in Aggregate]: AggregateValue<M, Name> }
}

/** The value of a member, or a part of a date. */
export type GroupKeyValue<
  M extends AnyModel,
  Key extends string,
> = Key extends `${DatePart}(${string})` ? string | null : ValueAt<M, Key> | null

/** The result of a function. A sum that a number does not hold exactly is a text. */
export type AggregateValue<M extends AnyModel, Name extends string> = Name extends
  | 'count'
  | `countDistinct(${string})`
  ? number
  : Name extends `sum(${infer Path})`
    ? ValueAt<M, Path> extends number
      ? number | string
      : ValueAt<M, Path>
    : Name extends `${'avg' | 'min' | 'max'}(${infer Path})`
      ? ValueAt<M, Path> | null
      : Scalar

/** The value that a path leads to. */
export type ValueAt<M extends AnyModel, Path extends string> = 0 extends 1 &
  PathEndOf<InstanceType<M>, Path>
  ? Exclude<Scalar, null>
  : PathEndOf<InstanceType<M>, Path> extends PathEnd<'one' | 'many', infer Value>
    ? Extract<Value, Scalar>
    : Exclude<Scalar, null>
